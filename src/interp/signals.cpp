// Signals: notify, wait, test, and their slot forms. A wait is ready when its condition holds; a test always
// answers, but an agent that repeats a state of a poll stands still (polls.h).
#include "interp/move.h"
#include "interp/op_table.h"
#include "interp/wait_condition.h"
#include "interp/windows.h"
#include "numeric/numeric.h"
#include "ops/handles.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

int64_t cell_value(const Context& c, const Tensor& cell) {
  return numeric::load_integer(cell.dtype, c.view(cell).base);
}

CellUse use_of(CellUse::Kind kind, const Tensor& cell, int64_t value, WaitCmp cmp = WaitCmp::Ge) {
  return {kind, cell.storage, cell.offset * ir::bytes(cell.dtype), value, cmp};
}

}  // namespace

void add_notified(const Tensor& cell, int64_t value, bool add, std::vector<CellUse>& cells) {
  cells.push_back(use_of(add ? CellUse::Kind::Add : CellUse::Kind::Set, cell, value));
}

namespace {

void saw(Context& c, const Tensor& cell, int64_t value, bool held, int64_t expected, WaitCmp cmp) {
  if (!c.sink) return;
  Event event{.kind = Event::Kind::Wait,
              .agent = c.agent_id,
              .task = c.agent().task,
              .rank = c.agent().rank,
              .block = c.agent().block,
              .storage = cell.storage,
              .box = box_of(cell),
              .access = Access::Wait,
              .value = value,
              .where = &c.call};
  event.held = held;
  event.test = c.instr.entry->polls;
  event.operand = expected;
  event.cmp = cmp;
  c.sink->on(event);
}

// --- one cell. `which` is the operand with the value; the cell is the region of operand 0.

void notify(Context& c, int which) {
  c.world.notify(c, c.region(0), c.integer(static_cast<size_t>(which)),
                 c.enum_attr<NotifyOp>("op") == NotifyOp::AtomicAdd, 0);
}

void notify_cells(Context& c, int which, std::vector<CellUse>& cells) {
  bool add = c.enum_attr<NotifyOp>("op") == NotifyOp::AtomicAdd;
  add_notified(c.region(0), c.integer(static_cast<size_t>(which)), add, cells);
}

void wait_cells(Context& c, int which, std::vector<CellUse>& cells) {
  auto kind = c.instr.entry->polls ? CellUse::Kind::Test : CellUse::Kind::Wait;
  cells.push_back(
      use_of(kind, c.region(0), c.integer(static_cast<size_t>(which)), c.enum_attr<WaitCmp>("cmp")));
}

bool wait_ready(Context& c, int which) {
  return holds(c.enum_attr<WaitCmp>("cmp"), cell_value(c, c.region(0)),
               c.integer(static_cast<size_t>(which)));
}

void wait(Context& c, int which) {
  int64_t value = cell_value(c, c.region(0));
  saw(c, c.region(0), value, true, c.integer(static_cast<size_t>(which)), c.enum_attr<WaitCmp>("cmp"));
  c.result = Scalar::of_int(DType::Int32, value);
}

void test(Context& c, int which) {
  const Tensor& cell = c.region(0);
  int64_t value = cell_value(c, cell), expected = c.integer(static_cast<size_t>(which));
  auto cmp = c.enum_attr<WaitCmp>("cmp");
  bool held = holds(cmp, value, expected);
  saw(c, cell, value, held, expected, cmp);
  c.result = Scalar::of_bool(held);
}

// "`sig[1, 0]` on rank 1"
std::string cell_name(const Context& c, const Tensor& cell) {
  if (cell.window < 0) return "a cell";
  const Window& window = c.world.windows()[static_cast<size_t>(cell.window)];
  return "`" + cell_text(window, cell.offset * bytes(cell.dtype)) + "` on rank " +
         std::to_string(c.world.storage(cell.storage).rank);
}

std::string explain_cell(const Context& c, const Tensor& cell, WaitCmp cmp, int64_t expected) {
  return "waits for " + cell_name(c, cell) + " " + sign(cmp) + " " + std::to_string(expected) +
         ", which is " + std::to_string(cell_value(c, cell));
}

std::string explain_wait(Context& c, int which) {
  if (const AttrValue* what = c.attr("what")) return "waits for " + *what->get<std::string>();
  return explain_cell(c, c.region(0), c.enum_attr<WaitCmp>("cmp"), c.integer(static_cast<size_t>(which)));
}

std::string explain_test(Context& c, int) {
  return "tests " + cell_text(c, c.region(0));
}

// --- a cell per rank of the group, in row-major order. notify_all is one release to all of them, in no
// order; wait_all is one wait after the other, each a step of its own.

Tensor cell_of(const Tensor& signal, int64_t index) {
  Tensor flat = signal;
  const int64_t cells = element_count(signal.shape);
  if (index >= cells) {
    fail(diag::run_index, {std::to_string(index), "0", std::to_string(cells)});
  }
  for (size_t d = signal.shape.size(); d-- > 0; index /= signal.shape[d]) {
    flat.offset += index % signal.shape[d] * signal.strides[d];
  }
  flat.shape.assign(1, 1);
  flat.strides.assign(1, 1);
  return flat;
}

// signal, value, group, members
Members taking_part(const Context& c) {
  const Tensor& signal = c.tensor(0);
  if (c.has(3)) return c.members_operand(3);
  const CommCtx* group = c.group_of(signal);
  return c.members(group ? *group : CommCtx{signal.window});
}

// Ranks that take part, other than this one: how many, and the one that a part is about. Ranks are those of
// the window's group.
struct Others {
  explicit Others(const Context& c) : Others(c, static_cast<int>(c.agent().part)) {}
  Others(const Context& c, int part)
      : members(taking_part(c)), me(c.world.rank_in_group(c.tensor(0).window, c.agent().rank)), part(part) {}
  bool any() const { return part + 1 < members.count; }
  bool more() const { return part + 2 < members.count; }
  int64_t rank() const { return members.rank(part < members.number(me) ? part : part + 1); }
  Members members;
  int me, part;
};

Tensor notified_cell(Context& c, const Others& others) {
  const Tensor& signal = c.tensor(0);
  return cell_of(c.world.at_rank(signal, c.world.peer_rank(signal.window, others.rank())), others.me);
}

void notify_all(Context& c, int) {
  for (Others others(c, 0); others.any(); ++others.part) {
    c.world.notify(c, notified_cell(c, others), c.integer(1), true, static_cast<uint32_t>(others.part));
  }
}

void notify_all_cells(Context& c, int, std::vector<CellUse>& cells) {
  for (Others others(c, 0); others.any(); ++others.part) {
    cells.push_back(use_of(CellUse::Kind::Add, notified_cell(c, others), c.integer(1)));
  }
}

bool wait_all_ready(Context& c, int) {
  Others others(c);
  return !others.any() || cell_value(c, cell_of(c.tensor(0), others.rank())) >= c.integer(1);
}

void wait_all(Context& c, int) {
  Others others(c);
  if (!others.any()) return;
  Tensor cell = cell_of(c.tensor(0), others.rank());
  saw(c, cell, cell_value(c, cell), true, c.integer(1), WaitCmp::Ge);
  c.again = others.more();
}

void wait_all_cells(Context& c, int, std::vector<CellUse>& cells) {
  Others others(c);
  if (!others.any()) return;
  cells.push_back(use_of(CellUse::Kind::Wait, cell_of(c.tensor(0), others.rank()), c.integer(1)));
}

std::string explain_wait_all(Context& c, int) {
  return explain_cell(c, cell_of(c.tensor(0), Others(c).rank()), WaitCmp::Ge, c.integer(1));
}

void peer_slot(Context& c, int) {
  const Tensor& dt = c.tensor(0);
  Tensor there = c.world.at_rank(dt, c.peer(dt, c.integer(1)));
  Tensor cell = narrow(there, c.integers(2), Dims(dt.shape.size(), 1), true);
  cell.shape.assign(1, 1);
  cell.strides.assign(1, 1);
  c.result = std::move(cell);
}

}  // namespace

std::string cell_text(const Context& c, const Tensor& cell) {
  return cell_name(c, cell) + ", which is " + std::to_string(cell_value(c, cell));
}

void add_signals(OpEntries& entries) {
  entries.add(ops::pld::system::notify, notify, 3).cells = notify_cells;
  entries.add(ops::pld::system::wait, wait, 2, wait_ready, explain_wait).cells = wait_cells;
  entries.add(ops::pld::system::defer_wait, wait, 2, wait_ready, explain_wait).cells = wait_cells;
  OpEntry& all = entries.add(ops::pld::system::notify_all, notify_all);
  all.cells = notify_all_cells;
  all.joint = true;
  entries.add(ops::pld::system::wait_all, wait_all, 0, wait_all_ready, explain_wait_all).cells =
      wait_all_cells;
  entries.add(ops::pl::pipe::notify, notify, 2).cells = notify_cells;
  entries.add(ops::pl::pipe::wait, wait, 2, wait_ready, explain_wait).cells = wait_cells;
  entries.add(ops::pld::peer_slot, peer_slot);
  entries.add(ops::pl::tile::comm_notify, notify, 1).cells = notify_cells;
  entries.add(ops::pl::tile::comm_wait, wait, 1, wait_ready, explain_wait).cells = wait_cells;
  OpEntry& system_test = entries.add(ops::pld::system::test, test, 2, nullptr, explain_test);
  system_test.polls = true;
  system_test.cells = wait_cells;
  OpEntry& slot_test = entries.add(ops::pl::tile::comm_test, test, 1, nullptr, explain_test);
  slot_test.polls = true;
  slot_test.cells = wait_cells;
}

}  // namespace tilewire::interp
