#include "check/outlook.h"

#include "numeric/numeric.h"

namespace tilewire::check {
namespace {

using interp::CellUse;

// A value that meets the condition.
int64_t met_by(const CellUse& use, int64_t now) {
  switch (use.cmp) {
    case ir::WaitCmp::Eq:
    case ir::WaitCmp::Ge:
    case ir::WaitCmp::Le:
      return use.value;
    case ir::WaitCmp::Gt:
      return use.value + 1;
    case ir::WaitCmp::Lt:
      return use.value - 1;
    case ir::WaitCmp::Ne:
      return now == use.value ? now + 1 : now;
  }
  return now;
}

// Returns false if no agent waits for a cell.
bool meet_waits(interp::World& world) {
  bool any = false;
  for (AgentId agent : world.blocked()) {
    for (const CellUse& use : world.next_cells(agent)) {
      if (use.storage == interp::no_storage || use.writes()) continue;
      const int64_t now = world.cell_value(use.storage, use.offset, use.dtype);
      const int64_t value = use.kind == CellUse::Kind::Read ? now + 1 : met_by(use, now);
      numeric::store_integer(use.dtype, world.writable(use.storage) + use.offset,
                             numeric::wrap(use.dtype, value));
      any = true;
      break;
    }
  }
  if (any) world.recheck();
  return any;
}

}  // namespace

Outlook outlook_of(const Run& run) {
  constexpr size_t most = 20'000;  // steps: without what it waits for, a loop may never end
  Outlook outlook{run.world, run.watch, run.watch.trace().size(), false};
  interp::World& world = outlook.world;
  for (size_t step = 0; step < most && !world.finished() && !world.error(); ++step) {
    if (world.runnable().empty() && !meet_waits(world)) break;
    if (world.runnable().empty()) break;
    world.step(world.runnable().front(), &outlook.watch);
  }
  outlook.complete = world.finished() && !world.error();
  return outlook;
}

}  // namespace tilewire::check
