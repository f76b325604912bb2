#include "check/check.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "check/cores.h"
#include "check/despite.h"
#include "check/exact.h"
#include "check/findings.h"
#include "check/flow.h"
#include "check/passing_waits.h"
#include "check/source_names.h"
#include "interp/code.h"
#include "interp/delays.h"
#include "interp/scheduler.h"
#include "support/diagnostics/check.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::check {
namespace {

class Checker {
 public:
  Checker(const interp::Image& image, const interp::World& start, const Options& options)
      : image_(image), start_(start), options_(options), shortener_(start) {}

  Report go() {
    report_.ranks = options_.ranks;
    report_.hosts = options_.hosts;
    report_.calls = options_.calls;
    Run first(start_);
    interp::InOrder scheduler;  // one that lets others have a turn where somebody spins
    carry_out(
        first,
        [&](Run& run, std::span<const AgentId> runnable) {
          return runnable[scheduler.pick(run.world, runnable)];
        },
        true);
    report_.events = first.watch.trace().size();
    cells_ = collect_cells(first.watch.trace());
    for (AgentId agent : first.world.blocked()) {
      for (const interp::CellUse& use : first.world.next_cells(agent)) {
        if (use.kind == interp::CellUse::Kind::Wait)
          cells_[{use.storage, use.offset}].pending.push_back(use.cmp);
      }
    }
    note_staged_cells(first.world);
    note_cell_uses(first.watch.trace());
    report_.windows = !first.world.windows().empty();
    report_.stopped = first.world.error() && first.world.error()->kind != interp::RunError::Kind::Limit;
    if (report_.stopped) {
      const auto failure = failure_of(first);
      report_.error = failure ? failure->diagnostic : first.world.error()->diagnostic;
      report_.names_peer = first.world.error()->diagnostic.id == diag::run_peer;
    }
    if (!dispatches_all(first.world, first.watch.trace())) return std::move(report_);
    if (first.world.error() && first.world.error()->kind == interp::RunError::Kind::Program) {
      if (auto other = error_despite(start_, image_.entry(), *report_.error, options_.limits)) {
        report_.stopped = false;
        cells_.clear();  // not all of their uses were seen
        refute(other->run, std::move(other->findings), std::move(other->method));
        finish(other->run);
        return std::move(report_);
      }
    }
    if (first.world.error() && !take_failure(first)) return std::move(report_);
    if (first.end == Run::End::TooLong) {
      report_.method = "one run has more than " + std::to_string(most_steps) + " steps";
      return std::move(report_);
    }
    // The order of cells in a run with an error means little, but their classes are worth showing.
    ExactResult exact = decide_exactly(start_, image_.entry(), first, cells_);
    flow_ = flow_of(image_.entry());
    for (const Flow::Decision& data : flow_.data) {
      report_.data.push_back(
          {image_.entry().function->params[data.origin.parameter]->name, data.what, data.where->span});
    }
    for (Finding& warning : warnings_of(first, cells_)) warnings_.push_back(std::move(warning));
    for (Finding& warning : unwritten_reads(first)) warnings_.push_back(std::move(warning));
    note_left_out(first);
    if (first.wrong()) {
      refute(first, findings_of(first, shortener_), "the first schedule tried shows it");
    } else if (exact.applies && start_.options().cores == 0 && !options_.general) {
      decide(first, exact);
      report_.blocks = options_.cores > 0 ? most_blocks(first.world, first.watch.trace()) : 0;
    } else if (start_.options().cores == options_.cores) {
      search_all(first);
    }
    finish(first);
    return std::move(report_);
  }

 private:
  void note_cell_uses(const Trace& trace) {
    for (const auto& [id, cell] : cells_) {
      for (const auto* uses : {&cell.signals, &cell.waits, &cell.looks}) {
        for (uint32_t i : *uses) {
          if (const ir::Node* where = trace[i].where) {
            report_.cell_uses.emplace(where->span.line, where->span.column);
          }
        }
      }
    }
  }

  // What the run left out, if it came to its end. Other elements, or another schedule, may decide to write
  // other rows.
  void note_left_out(const Run& run) {
    if (!run.world.finished()) return;
    if (auto idle = idle_ranks(run, options_.ranks)) warnings_.push_back(std::move(*idle));
    if (!flow_.data.empty() || !flow_.schedule.empty()) return;
    for (Finding& warning : unwritten_rows(run)) warnings_.push_back(std::move(warning));
  }

  // Windows that start with what the host has put into them.
  void note_staged_cells(const interp::World& world) {
    for (const interp::Window& window : world.windows()) {
      if (!window.load_from) continue;
      for (auto& [id, cell] : cells_) {
        const auto& copies = window.copies;
        cell.stored |= std::find(copies.begin(), copies.end(), id.storage) != copies.end();
      }
    }
  }

  // A loop that dispatches to some of the ranks that share a window leaves the others without a partner,
  // unless it and other dispatches to some make up all of them together.
  bool dispatches_all(const interp::World& world, const Trace& trace) {
    std::map<const ir::FunctionCall*, std::set<int>> sites;
    for (const Action& action : trace) {
      const auto* call =
          action.kind == Action::Kind::Submit ? ir::as<ir::FunctionCall>(action.where) : nullptr;
      if (call && call->device) sites[call].insert(action.rank);
    }
    for (const interp::Window& window : world.windows()) {
      if (!window.buffer) continue;
      std::set<int> together;
      const ir::FunctionCall* loop = nullptr;
      for (const auto& [call, ranks] : sites) {
        if (!takes(*call, *window.buffer) || ranks == window.dispatched) continue;
        together.insert(ranks.begin(), ranks.end());
        const bool later = loop && loop->span.line < call->span.line;
        if (!ir::isa<ir::ConstInt>(call->device) && !later) loop = call;
      }
      if (!loop || together == window.dispatched) continue;
      std::vector<int> missing;
      std::set_difference(window.dispatched.begin(), window.dispatched.end(), together.begin(),
                          together.end(), std::back_inserter(missing));
      Diagnostics diags;
      report_.invalid = diags.report(diag::check_undispatched, loop->span,
                                     {loop->callee, std::to_string(missing.front()), window.buffer->name});
      report_.verdict = Verdict::Invalid;
      report_.method = "a rank is left out";
      return false;
    }
    return true;
  }

  static bool takes(const ir::FunctionCall& call, const ir::WindowBuffer& buffer) {
    return std::any_of(call.args.begin(), call.args.end(), [&](const ir::ExprRef& arg) {
      const auto* type = arg ? ir::as<ir::DistributedTensorType>(arg->type) : nullptr;
      return type && type->window_buffer && type->window_buffer->base == buffer.base;
    });
  }

  // Returns false if there is nothing more to report.
  bool take_failure(Run& run) {
    if (failure_of(run)) return true;
    report_.invalid = run.world.error()->diagnostic;
    const bool limit = run.world.error()->kind == interp::RunError::Kind::Limit;
    report_.verdict = limit ? Verdict::Bounded : Verdict::Invalid;
    report_.too_long = limit;
    report_.method = limit ? "one run takes too long" : "the program cannot run";
    return false;
  }

  void refute(const Run& run, std::vector<Finding> findings, std::string method) {
    report_.actors = actors_of(run.world);
    report_.verdict = Verdict::Refuted;
    report_.method = std::move(method);
    // Texts that are inlined several times, and both directions of an exchange, say the same more than once.
    std::set<std::tuple<Kind, std::set<std::pair<uint32_t, uint32_t>>>> told;
    for (Finding& finding : findings) {
      std::set<std::pair<uint32_t, uint32_t>> at;
      for (const Place& place : finding.places) at.emplace(place.span.line, place.span.column);
      if (!told.emplace(finding.kind, std::move(at)).second) continue;
      complete_replay(finding);
      report_.findings.push_back(std::move(finding));
    }
  }

  void complete_replay(Finding& finding) const {
    Schedule& replay = finding.replay;
    replay.kind = name(finding.kind);
    replay.ranks = options_.ranks;
    replay.hosts = options_.hosts;
    replay.calls = options_.calls;
    replay.cores = options_.cores;
    const bool two_uses =
        finding.kind == Kind::Race || finding.kind == Kind::Shard || finding.kind == Kind::Lost;
    if (!two_uses || finding.places.size() != 2) return;
    auto use = [](const Place& place) {
      return text_of(ScheduleAgent{{place.rank, 0, 0, place.block, place.call}, place.function}) + ", line " +
             std::to_string(place.span.line) + ", " + place.text;
    };
    replay.told = use(finding.places[0]) + "; then " + use(finding.places[1]) + "; nothing orders the two";
  }

  void decide(Run& run, const ExactResult& exact) {
    const std::string events = std::to_string(report_.events) + " events";
    report_.tier = Tier::Exact;
    if (!exact.races.empty()) {
      std::vector<Finding> findings;
      for (const Meeting& race : exact.races)
        findings.push_back(race_in(run, race.conflict, race.schedule, shortener_));
      return refute(run, std::move(findings), "found from the order of the events of one run");
    }
    warn(exact.flow);
    report_.verdict = Verdict::Proved;
    if (!exact.in_one_pass) report_.pairs = exact.tried;
    report_.method = "exact, from one run of " + events;
    if (!exact.in_one_pass) report_.method += " and " + std::to_string(exact.tried) + " pairs of uses tried";
  }

  void search_all(const Run& first) {
    interp::World start(start_);
    const bool order_sums = flow_.decides(Origin::Kind::Sum);
    start.set_order_sums(order_sums);
    auto tests = std::make_shared<const interp::WaitingTests>(image_);
    start.take_for_waits(tests);
    PassingWaits waits(first.watch.trace(), cells_, *tests);
    SearchResult result;
    for (bool learned = true; learned && !result.wrong;) {
      learned = false;
      start.delay(std::make_shared<interp::Delays>(
          image_, [&](const interp::Instr& wait) { return waits.contains(wait); }));
      result = search(start, options_.limits,
                      [&](const Run& run) { learned = waits.learn(run.watch.trace()) || learned; });
    }
    report_.tier = Tier::Search;
    report_.schedules = result.schedules;
    report_.states = result.states;
    report_.random = result.random;
    const std::string count = std::to_string(result.schedules - result.random) + " schedules";
    if (result.wrong) {
      Shortener shortener(start);
      std::vector<Finding> findings = findings_of(*result.wrong, shortener);
      if (findings.empty()) {
        take_failure(*result.wrong);
        return;
      }
      refute(
          *result.wrong, std::move(findings),
          result.random ? "found at random after " + count : "schedule " + std::to_string(result.schedules));
      return;
    }
    warn_of_outcomes(result, order_sums);
    report_.verdict = result.complete ? Verdict::Proved : Verdict::Bounded;
    report_.method = result.complete ? (result.schedules == 1 ? "the one schedule there is"
                                                              : "all " + count + " that differ")
                                     : "not proved: " + count + ", then " + std::to_string(result.random) +
                                           " random ones (seed " + std::to_string(options_.limits.seed) + ")";
  }

  void warn(const Flow& flow) {
    for (Finding& warning : schedule_warnings(flow)) warnings_.push_back(std::move(warning));
  }

  // Schedules that were all seen have shown whether results differ, but for orders of sums that were not
  // tried.
  void warn_of_outcomes(const SearchResult& result, bool order_sums) {
    if (!result.complete || result.outcomes_differ) {
      warn(flow_);
      if (result.outcomes_differ && flow_.results.empty()) {
        warnings_.push_back(schedule_warning(image_.entry()));
      }
    } else if (!order_sums) {
      warn(flow_of(image_.entry(), &result.unordered_sums));
    }
  }

  void finish(Run& run) {
    if (report_.verdict != Verdict::Refuted) report_.timeline = timeline_of(run, nullptr);
    Names names(run.world);
    for (Finding& warning : warnings_) {
      if (warning.kind == Kind::Stale) name_cause(warning);
      report_.findings.push_back(std::move(warning));
    }
    for (const auto& [id, cell] : cells_) {
      std::string name = names.cell_name(id);
      auto known = std::find_if(report_.cells.begin(), report_.cells.end(), [&](const CellGroup& group) {
        return group.name == name && group.kind == cell.kind && group.why == cell.why;
      });
      if (known == report_.cells.end()) report_.cells.push_back({name, cell.kind, cell.why});
    }
  }

  void name_cause(const Finding& stale) {
    for (Finding& finding : report_.findings) {
      if (finding.kind != Kind::Race) continue;
      finding.diagnostic.with_note("the cause may be this " + stale.diagnostic.message,
                                   stale.diagnostic.span);
    }
  }

  const interp::Image& image_;
  const interp::World& start_;
  const Options& options_;
  Cells cells_;
  Flow flow_;  // of all that may depend on the schedule
  std::vector<Finding> warnings_;
  Shortener shortener_;
  Report report_;
};

}  // namespace

std::vector<size_t> scalars_that_decide(const ir::ProgramRef& program, std::string_view entry) {
  Diagnostics diags;
  auto image = interp::Image::make(program, entry, diags);
  if (!image) return {};
  std::vector<size_t> deciding = flow_of(image->entry()).scalars;
  const auto& params = image->entry().function->params;
  for (size_t i = 0; i < params.size(); ++i) {
    auto dtype = ir::scalar_dtype(params[i]->type);
    // Integers are sizes and counts more often than not.
    if (dtype && !ir::is_float(*dtype)) deciding.push_back(i);
  }
  std::sort(deciding.begin(), deciding.end());
  deciding.erase(std::unique(deciding.begin(), deciding.end()), deciding.end());
  return deciding;
}

Report invalid(int ranks, const Diagnostic& why) {
  Report report;
  report.ranks = ranks;
  report.verdict = Verdict::Invalid;
  report.method = "the program cannot run";
  report.invalid = why;
  return report;
}

Report check(const ir::ProgramRef& program, std::string_view entry, std::span<const interp::Argument> args,
             const Options& options) {
  Diagnostics diags;
  auto image =
      interp::Image::make(program, entry, diags,
                          options.written ? source_names(*options.written, *program) : interp::ShownNames());
  if (!image) return invalid(options.ranks, diags.all().front());
  interp::Options settings;
  settings.ranks = options.ranks;
  settings.hosts = options.hosts;
  settings.calls = options.calls;
  settings.full_order = true;
  settings.detach = true;
  settings.step_limit = options.step_limit;
  Pacer pacer(options.progress, options.ranks);
  settings.pulse = &pacer;
  std::vector<uint8_t> reached(image->instr_count());
  settings.reached = &reached;
  std::vector<interp::Rounds> rounds(image->instr_count());
  settings.rounds = &rounds;
  try {
    // As many cores as all blocks need are as good as any number, and one run may then decide.
    std::vector<int> cores = {options.cores};
    if (options.cores > 0 && !options.general) cores.insert(cores.begin(), 0);
    for (int limit : cores) {
      settings.cores = limit;
      interp::World world(image, settings);
      if (auto error = interp::start(world, *program->find(entry), args)) {
        return invalid(options.ranks, error->diagnostic);
      }
      Report report = Checker(*image, world, options).go();
      const bool decides = report.tier == Tier::Exact && report.blocks <= options.cores;
      if (limit != options.cores && !decides) continue;
      report.reached = std::move(reached);
      report.rounds = std::move(rounds);
      return report;
    }
    return {};
  } catch (const Stopped&) {
    Report report;
    report.ranks = options.ranks;
    report.hosts = options.hosts;
    report.method = "not proved: stopped after " + std::to_string(pacer.runs) + " schedules";
    report.schedules = pacer.runs;
    return report;
  }
}

}  // namespace tilewire::check
