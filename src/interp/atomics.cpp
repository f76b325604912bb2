// Atomic updates that return the old value. They take effect at once, acquire, and release where they write.
// One whose result nobody uses orders like a notify that has landed: nothing depends on what it found.
#include "interp/lanes.h"
#include "interp/move.h"
#include "interp/op_table.h"
#include "numeric/numeric.h"
#include "ops/handles.h"

namespace tilewire::interp {
namespace {

using namespace ir;

// `which` is the first operand with a value: the expected one of those that compare.
CellUse use_of(const Context& c, int which) {
  const Tensor& cell = c.region(0);
  CellUse use{
      .kind = CellUse::Kind::Fetch, .storage = cell.storage, .offset = cell.offset * bytes(cell.dtype)};
  use.dtype = cell.dtype;
  use.value = c.integer(static_cast<size_t>(which));
  if (!c.instr.entry->compares) {
    if (!c.result_used()) use.kind = CellUse::Kind::Add;
    return use;
  }
  use.expected = use.value;
  if (c.world.cell_value(use.storage, use.offset, use.dtype) == use.expected) {
    use.kind = CellUse::Kind::Swap;
    use.value = c.integer(static_cast<size_t>(which) + 1);
  } else {
    use.kind = CellUse::Kind::Test;
    use.cmp = WaitCmp::Eq;
  }
  return use;
}

void cells_of(Context& c, int which, std::vector<CellUse>& cells) {
  cells.push_back(use_of(c, which));
}

void tell(const Context& c, const CellUse& use, int64_t old, int64_t now) {
  if (!c.sink) return;
  Event event{.kind = Event::Kind::Update,
              .agent = c.agent_id,
              .task = c.agent().task,
              .rank = c.agent().rank,
              .block = c.agent().block,
              .storage = use.storage,
              .box = box_of(c.region(0)),
              .access = Access::Update,
              .dtype = use.dtype,
              .value = now,
              .where = &c.call};
  event.held = use.writes();
  event.operand = use.value;
  event.old = old;
  event.used = use.kind != CellUse::Kind::Add;
  event.set = !use.adds();
  c.sink->on(event);
}

void update(Context& c, int which) {
  const CellUse use = use_of(c, which);
  const int64_t old = c.world.cell_value(use.storage, use.offset, use.dtype);
  const int64_t now = value_after(use, old);
  if (use.writes()) {
    numeric::store_integer(use.dtype, c.writable(c.region(0)), now);
    c.world.note_change();
  }
  tell(c, use, old, now);
  c.result = Scalar::of_int(use.dtype, old);
}

std::string explain(Context& c, int) {
  return "updates " + cell_text(c, c.region(0));
}

}  // namespace

void add_atomics(OpEntries& entries) {
  auto add = [&](const Op& op, int which, bool compares) {
    OpEntry& entry = entries.add(op, update, which, nullptr, explain);
    entry.cells = cells_of;
    entry.compares = compares;
  };
  add(ops::pl::tensor::atomic_add, 2, false);
  add(ops::pl::tensor::atomic_cas, 2, true);
  add(ops::pld::system::fetch_add, 3, false);
  add(ops::pld::system::compare_exchange, 3, true);
}

}  // namespace tilewire::interp
