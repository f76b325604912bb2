// Ranks that the host function hands nothing to.
#include <set>

#include "check/findings.h"
#include "support/diagnostics/check.h"
#include "support/ranges_text.h"

namespace tilewire::check {

std::optional<Finding> idle_ranks(const Run& run, int ranks) {
  std::set<int64_t> idle;
  for (int rank = 0; rank < ranks; ++rank) idle.insert(rank);
  std::set<const ir::FunctionCall*> calls;
  for (const Action& action : run.watch.trace()) {
    const auto* call = action.kind == Action::Kind::Submit ? ir::as<ir::FunctionCall>(action.where) : nullptr;
    if (!call || !call->device) continue;
    idle.erase(action.rank);
    calls.insert(call);
  }
  if (idle.empty() || calls.empty()) return std::nullopt;
  const ir::Function& host = *run.world.entry().function;
  const std::string text = (idle.size() == 1 ? "rank " : "ranks ") + ranges_text(idle);
  // Where there is one call, that is where the others are left out.
  const Span& at = calls.size() == 1 ? (*calls.begin())->span : host.span;
  Diagnostics diags;
  Finding finding{.kind = Kind::Unreached,
                  .diagnostic = diags.report(diag::check_idle, at, {text + " of " + std::to_string(ranks)}),
                  .places = {},
                  .story = {},
                  .schedule = {}};
  if (calls.size() == 1)
    finding.diagnostic.with_note("the host function `" + host.name + "` is this one", host.span);
  finding.diagnostic.with_help("to run on all ranks: `for r in pl.range(pld.world_size()):` and `device=r`");
  const int busy = ranks - static_cast<int>(idle.size());
  if (*idle.begin() == busy) {
    finding.diagnostic.with_help("if it is meant for fewer ranks, check those: --ranks " +
                                 std::to_string(busy));
  }
  return finding;
}

}  // namespace tilewire::check
