#include "check/despite.h"

#include <algorithm>

#include "check/cells.h"
#include "check/exact.h"
#include "interp/scheduler.h"
#include "interp/wait_condition.h"
#include "numeric/numeric.h"

namespace tilewire::check {
namespace {

using interp::CellUse;

void carry_on(Run& run, interp::InOrder& scheduler) {
  run.end = Run::End::Finished;
  carry_out(
      run,
      [&](Run& r, std::span<const AgentId> runnable) { return runnable[scheduler.pick(r.world, runnable)]; },
      true);
}

// What skipped notifies may have added to each cell of a window at most.
class Doubtful {
 public:
  explicit Doubtful(const interp::World& world) : world_(world) {}

  // Whether the wait could be over if the skipped ops had done what they were meant to.
  bool may_hold(const CellUse& wait, int64_t now) const {
    bool named = false, any = false;
    int64_t added = 0;
    for (const interp::Fault& fault : world_.faults()) {
      const bool names = std::any_of(fault.windows.begin(), fault.windows.end(), [&](int32_t window) {
        return is_copy(world_.windows()[static_cast<size_t>(window)], wait.storage);
      });
      if (!names) continue;
      named = true;
      any = any || !fault.added;
      if (fault.added) added += std::max<int64_t>(*fault.added, 0);
    }
    const bool counts = wait.cmp == ir::WaitCmp::Ge || wait.cmp == ir::WaitCmp::Gt;
    return named && (any || !counts || interp::holds(wait.cmp, now + added, wait.value));
  }

 private:
  static bool is_copy(const interp::Window& window, StorageId storage) {
    return std::find(window.copies.begin(), window.copies.end(), storage) != window.copies.end();
  }
  const interp::World& world_;
};

// Ends the waits that skipped notifies could have ended; false if there are none.
bool end_doubtful_waits(interp::World& world) {
  const Doubtful doubtful(world);
  bool any = false;
  for (AgentId agent : world.blocked()) {
    for (const CellUse& use : world.next_cells(agent)) {
      if (use.storage == interp::no_storage || use.writes()) continue;
      const int64_t now = world.cell_value(use.storage, use.offset, use.dtype);
      const bool read = use.kind == CellUse::Kind::Read;
      if (!doubtful.may_hold(use, now)) continue;
      const int64_t value = read                         ? now + 1
                            : use.cmp == ir::WaitCmp::Ne ? use.value + 1
                            : use.cmp == ir::WaitCmp::Gt ? use.value + 1
                            : use.cmp == ir::WaitCmp::Lt ? use.value - 1
                                                         : use.value;
      numeric::store_integer(use.dtype, world.writable(use.storage) + use.offset,
                             numeric::wrap(use.dtype, value));
      any = true;
      break;
    }
  }
  if (any) world.recheck();
  return any;
}

// Whether only agents are blocked that have gone past an error, which they do not in a real run.
bool only_skippers_wait(interp::World& world) {
  const std::vector<AgentId> blocked = world.blocked();
  return std::all_of(blocked.begin(), blocked.end(), [&](AgentId id) {
    const auto& faults = world.faults();
    const bool skipped =
        std::any_of(faults.begin(), faults.end(), [&](const auto& f) { return f.agent == id; });
    return skipped || world.next_cells(id).empty();  // others wait for its tasks
  });
}

std::optional<OtherError> deadlock_despite(const interp::World& start) {
  constexpr int most_rounds = 1000;
  interp::World world(start);
  world.set_on_error(interp::OnError::Skip);
  Run run(world);
  interp::InOrder scheduler;
  for (int round = 0; round < most_rounds; ++round) {
    carry_on(run, scheduler);
    const std::vector<interp::Fault>& faults = run.world.faults();
    const bool skipped = std::all_of(faults.begin(), faults.end(), [](const auto& f) { return f.skipped; });
    if (run.world.finished() || run.world.error() || run.end == Run::End::TooLong || !skipped) break;
    if (end_doubtful_waits(run.world)) continue;
    if (only_skippers_wait(run.world)) break;
    std::vector<Finding> findings;
    findings.push_back(deadlock_of(run));
    return OtherError{std::move(run), std::move(findings), "the first schedule tried shows it"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<OtherError> error_despite(const interp::World& start, const interp::Code& entry,
                                        const Diagnostic& error, const SearchLimits& limits) {
  interp::World world(start);
  world.set_on_error(interp::OnError::Halt);
  Run run(world);
  interp::InOrder scheduler;
  carry_on(run, scheduler);
  if (run.world.error() || run.end == Run::End::TooLong) return std::nullopt;
  std::optional<OtherError> found;
  Shortener shortener(world);
  if (!run.watch.conflicts().empty()) {
    std::vector<Finding> findings = conflict_findings(run, shortener);
    found = OtherError{std::move(run), std::move(findings), "the first schedule tried shows it"};
  } else {
    Cells cells = collect_cells(run.watch.trace());
    for (AgentId agent : run.world.blocked()) {
      for (const CellUse& use : run.world.next_cells(agent)) {
        if (use.kind == CellUse::Kind::Wait) cells[{use.storage, use.offset}].pending.push_back(use.cmp);
      }
    }
    ExactResult exact = decide_exactly(world, entry, run, cells);
    if (!exact.races.empty()) {
      std::vector<Finding> findings;
      for (const Meeting& race : exact.races) {
        findings.push_back(race_in(run, race.conflict, race.schedule, shortener));
      }
      found =
          OtherError{std::move(run), std::move(findings), "found from the order of the events of one run"};
    } else if (!exact.applies) {
      SearchLimits few = limits;  // what is looked for is more than the error that there is
      few.schedules = std::min<size_t>(few.schedules, 500);
      few.random = 0;
      SearchResult result = search(world, few);
      if (result.wrong) {
        std::vector<Finding> findings = findings_of(*result.wrong, shortener);
        if (!findings.empty()) {
          found = OtherError{std::move(*result.wrong), std::move(findings),
                             "schedule " + std::to_string(result.schedules)};
        }
      }
    }
  }
  if (!found) found = deadlock_despite(start);
  if (!found) return found;
  for (Finding& finding : found->findings) {
    finding.diagnostic.with_note("apart from this, the program stops on another error: " + error.message,
                                 error.span);
  }
  return found;
}

}  // namespace tilewire::check
