// What is no error but seldom meant: waits that wait for nothing, signals that nobody uses.
#include <algorithm>
#include <set>
#include <tuple>

#include "check/findings.h"
#include "ir/make.h"
#include "support/diagnostics/check.h"

namespace tilewire::check {
namespace {

class Warnings {
 public:
  Warnings(Run& run, const Cells& cells)
      : run_(run), trace_(run.watch.trace()), names_(run.world), cells_(cells) {}

  std::vector<Finding> all() {
    for (const auto& [id, cell] : cells_) {
      if (!names_.pipe_cell(id).empty()) continue;  // nobody wrote these uses by hand
      stale(id, cell);
      unused(id, cell);
      residue(id, cell);
    }
    return std::move(found_);
  }

 private:
  void add(Kind kind, Diag diag, uint32_t at, std::vector<std::string> arguments) {
    const Action& action = trace_[at];
    Diagnostics diags;
    const Span span = action.where ? action.where->span : Span{};
    if (!told_.emplace(kind, span.line, span.column).second) return;  // an inlined text has many nodes
    Finding finding{.kind = kind,
                    .diagnostic = diags.report(diag, span, std::move(arguments)),
                    .places = {{action.rank, names_.function(action.task), action.block,
                                names_.call(action.task), span, "", names_.lanes(action.task)}},
                    .story = {},
                    .schedule = {}};
    finding.diagnostic.with_label(names_.who(action.agent, action.rank, action.task));
    found_.push_back(std::move(finding));
  }

  // A wait of an agent that an earlier one of its own, or one of an earlier call, already implies. What was
  // taken in between counts.
  void stale(const CellId& id, const CellRecord& cell) {
    if (cell.kind == CellClass::General) return;
    std::map<AgentId, int64_t> reached;
    std::map<int, int64_t> by_call;
    for (uint32_t i : cell.waits) {
      const Action& wait = trace_[i];
      int64_t goal = wait.operand + (wait.cmp == ir::WaitCmp::Gt ? 1 : 0);
      int64_t total = goal;
      for (uint32_t s : cell.signals) {
        if (s < i && trace_[s].use == Use::CellAdd && trace_[s].operand < 0) total -= trace_[s].operand;
      }
      const int call = names_.call(wait.task);
      bool implied = false;
      for (const auto& [earlier, most] : by_call) implied |= earlier < call && total <= most;
      auto [last, first] = reached.emplace(wait.agent, total);
      implied |= !first && total <= last->second;
      if (implied && goal > 0) {
        add(Kind::Stale, diag::check_stale, i, {names_.cell(id), std::to_string(goal)});
      }
      last->second = std::max(last->second, total);
      int64_t& most = by_call.try_emplace(call, total).first->second;
      most = std::max(most, total);
    }
  }

  void unused(const CellId& id, const CellRecord& cell) {
    if (!cell.updates.empty()) return;
    const std::vector<uint32_t>& used = cell.waits.empty() ? cell.looks : cell.waits;
    if (used.empty() && !cell.signals.empty() && run_.world.finished()) {
      add(Kind::Unawaited, diag::check_unawaited, cell.signals.front(), {names_.cell(id)});
    } else if (cell.signals.empty() && !used.empty()) {
      add(Kind::Unnotified, diag::check_unnotified, used.front(), {names_.cell(id)});
    }
  }

  void residue(const CellId& id, const CellRecord& cell) {
    if (cell.signals.empty() || !cell.updates.empty() || !run_.world.finished()) return;
    bool resets = false;
    for (uint32_t i : cell.signals) {
      const Action& signal = trace_[i];
      resets |= signal.use == Use::CellSet ? signal.operand == 0 : signal.operand < 0;
    }
    const int64_t left = trace_[cell.signals.back()].value;
    if (resets && left != 0) {
      add(Kind::Residue, diag::check_residue, cell.signals.back(), {names_.cell(id), std::to_string(left)});
    }
  }

  Run& run_;
  const Trace& trace_;
  Names names_;
  const Cells& cells_;
  std::set<std::tuple<Kind, uint32_t, uint32_t>> told_;
  std::vector<Finding> found_;
};

// "what the wait on line 12 sees"
std::string source_text(const Origin& origin) {
  const std::string line = " on line " + std::to_string(origin.where->span.line);
  if (origin.kind == Origin::Kind::Sum) return "the order of the atomic additions" + line;
  const auto* call = ir::as<ir::Call>(origin.where);
  auto does = [&](ir::Access access) {
    return call && std::any_of(call->op->effects.begin(), call->op->effects.end(),
                               [&](const ir::Effect& e) { return e.access == access; });
  };
  if (does(ir::Access::Update)) return "what the atomic update" + line + " returns";
  const bool waits = does(ir::Access::Wait);
  const bool says = waits && ir::scalar_dtype(call->type) == ir::DType::Bool;
  return std::string(!waits ? "what the read of a cell"
                     : says ? "what the test"
                            : "what the wait") +
         line + " sees";
}

Finding schedule_finding(const Span& span, const std::string& function, std::string result,
                         std::string source) {
  Diagnostics diags;
  return {.kind = Kind::Schedule,
          .diagnostic = diags.report(diag::check_schedule, span, {std::move(result), std::move(source)}),
          .places = {{-1, function, 0, 0, span, ""}},
          .story = {},
          .schedule = {}};
}

}  // namespace

std::vector<Finding> schedule_warnings(const Flow& flow) {
  std::vector<Finding> found;
  std::set<std::tuple<uint32_t, uint32_t, std::string, Origin::Kind>> told;
  for (const Flow::Stored& stored : flow.results) {
    const Span& span = stored.where->span;
    if (!told.emplace(span.line, span.column, stored.result, stored.origin.kind).second) continue;
    Finding finding = schedule_finding(span, stored.code->name, stored.result, source_text(stored.origin));
    finding.diagnostic.with_help(stored.origin.kind == Origin::Kind::Sum
                                     ? "add in a fixed order, or add integers, which are not rounded"
                                     : "wait for the last value that the cell takes, or do not store what "
                                       "was seen");
    found.push_back(std::move(finding));
  }
  return found;
}

Finding schedule_warning(const interp::Code& entry) {
  return schedule_finding(entry.node->span, entry.name, "what `" + entry.name + "` computes",
                          "the order of the ranks' steps");
}

std::vector<Finding> warnings_of(Run& run, const Cells& cells) {
  return Warnings(run, cells).all();
}

}  // namespace tilewire::check
