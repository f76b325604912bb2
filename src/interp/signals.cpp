// Signals: notify, wait, test, and their slot forms. A wait is ready when its condition holds; a test always
// answers, but an agent that has polled in vain stands still until one of the cells it looked at changes.
#include "interp/move.h"
#include "interp/op_table.h"
#include "numeric/numeric.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

int64_t cell_value(const Context& c, const Tensor& cell) {
  return numeric::load_integer(DType::Int32, c.view(cell).base);
}

bool holds(WaitCmp cmp, int64_t value, int64_t expected) {
  switch (cmp) {
    case WaitCmp::Eq:
      return value == expected;
    case WaitCmp::Ge:
      return value >= expected;
    case WaitCmp::Ne:
      return value != expected;
    case WaitCmp::Gt:
      return value > expected;
    case WaitCmp::Lt:
      return value < expected;
    case WaitCmp::Le:
      return value <= expected;
  }
  return false;
}

const char* sign(WaitCmp cmp) {
  static constexpr const char* signs[] = {"==", ">=", "!=", ">", "<", "<="};
  return signs[static_cast<size_t>(cmp)];
}

Event cell_event(const Context& c, Event::Kind kind, const Tensor& cell, int64_t value) {
  Event event{.kind = kind,
              .agent = c.agent_id,
              .task = c.agent().task,
              .rank = c.agent().rank,
              .block = c.agent().block,
              .storage = cell.storage,
              .box = box_of(cell)};
  event.access = kind == Event::Kind::Signal ? Access::Signal : Access::Wait;
  event.value = value;
  event.where = &c.call;
  return event;
}

}  // namespace

void notify_cell(Context& c, const Tensor& cell, int64_t value, bool add) {
  int64_t now = numeric::wrap(DType::Int32, add ? cell_value(c, cell) + value : value);
  numeric::store_integer(DType::Int32, c.writable(cell), now);
  c.world.note_change();
  if (c.sink) c.sink->on(cell_event(c, Event::Kind::Signal, cell, now));
}

namespace {

void saw(Context& c, const Tensor& cell, int64_t value, bool held) {
  if (!c.sink) return;
  Event event = cell_event(c, Event::Kind::Wait, cell, value);
  event.held = held;
  c.sink->on(event);
}

// --- one cell. `which` is the operand with the value; the cell is the region of operand 0.

void notify(Context& c, int which) {
  notify_cell(c, c.region(0), c.integer(static_cast<size_t>(which)),
              c.enum_attr<NotifyOp>("op") == NotifyOp::AtomicAdd);
}

bool wait_ready(Context& c, int which) {
  return holds(c.enum_attr<WaitCmp>("cmp"), cell_value(c, c.region(0)),
               c.integer(static_cast<size_t>(which)));
}

void wait(Context& c, int) {
  int64_t value = cell_value(c, c.region(0));
  saw(c, c.region(0), value, true);
  c.result = Scalar::of_int(DType::Int32, value);
}

bool test_ready(Context& c, int) {
  return !c.world.polls_in_vain(c.agent_id, c.region(0));
}

void test(Context& c, int which) {
  const Tensor& cell = c.region(0);
  int64_t value = cell_value(c, cell);
  bool held = holds(c.enum_attr<WaitCmp>("cmp"), value, c.integer(static_cast<size_t>(which)));
  saw(c, cell, value, held);
  c.world.note_poll(c.agent_id, cell, value, held);
  c.result = Scalar::of_bool(held);
}

std::string explain_wait(Context& c, int which) {
  return "the cell is " + std::to_string(cell_value(c, c.region(0))) + ", waited for is " +
         sign(c.enum_attr<WaitCmp>("cmp")) + " " + std::to_string(c.integer(static_cast<size_t>(which)));
}

// --- a cell per rank of the group, in row-major order

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

void notify_all(Context& c, int) {
  const Tensor& signal = c.tensor(0);
  const int me = c.world.rank_in_group(signal.window, c.agent().rank);
  const auto count = static_cast<int>(c.world.group_of(signal.window).size());
  for (int peer = 0; peer < count; ++peer) {
    if (peer == me) continue;
    Tensor there = c.world.at_rank(signal, c.world.peer_rank(signal.window, peer));
    notify_cell(c, cell_of(there, me), c.integer(1), true);
  }
}

template <class F>
void for_each_source(Context& c, F f) {
  const Tensor& signal = c.tensor(0);
  const int me = c.world.rank_in_group(signal.window, c.agent().rank);
  const auto count = static_cast<int>(c.world.group_of(signal.window).size());
  for (int source = 0; source < count; ++source) {
    if (source != me) f(cell_of(signal, source), source);
  }
}

bool wait_all_ready(Context& c, int) {
  bool ready = true;
  for_each_source(c, [&](const Tensor& cell, int) { ready &= cell_value(c, cell) >= c.integer(1); });
  return ready;
}

void wait_all(Context& c, int) {
  for_each_source(c, [&](const Tensor& cell, int) { saw(c, cell, cell_value(c, cell), true); });
}

std::string explain_wait_all(Context& c, int) {
  std::string text;
  for_each_source(c, [&](const Tensor& cell, int source) {
    int64_t value = cell_value(c, cell);
    if (value >= c.integer(1)) return;
    text += text.empty() ? "" : "; ";
    text += "cell " + std::to_string(source) + " is " + std::to_string(value) +
            ", waited for is >= " + std::to_string(c.integer(1));
  });
  return text;
}

void peer_slot(Context& c, int) {
  const Tensor& dt = c.tensor(0);
  Tensor there = c.world.at_rank(dt, c.world.peer_rank(dt.window, c.integer(1)));
  Tensor cell = narrow(there, c.integers(2), Dims(dt.shape.size(), 1), true);
  cell.shape.assign(1, 1);
  cell.strides.assign(1, 1);
  c.result = std::move(cell);
}

}  // namespace

void add_signals(OpEntries& entries) {
  entries.add("pld.system.notify", notify, 3);
  entries.add("pld.system.wait", wait, 2, wait_ready, explain_wait);
  entries.add("pld.system.defer_wait", wait, 2, wait_ready, explain_wait);
  entries.add("pld.system.test", test, 2, test_ready, explain_wait).polls = true;
  entries.add("pld.system.notify_all", notify_all);
  entries.add("pld.system.wait_all", wait_all, 0, wait_all_ready, explain_wait_all);
  entries.add("pld.peer_slot", peer_slot);
  entries.add("pl.tile.comm_notify", notify, 1);
  entries.add("pl.tile.comm_wait", wait, 1, wait_ready, explain_wait);
  entries.add("pl.tile.comm_test", test, 1, test_ready, explain_wait).polls = true;
}

}  // namespace tilewire::interp
