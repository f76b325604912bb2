#include "check/combine.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace tilewire::check {
namespace {

int badness(Verdict verdict) {
  return verdict == Verdict::Refuted ? 2 : verdict == Verdict::Bounded ? 1 : 0;
}

const Diagnostic* error_of(const Report& report) {
  if (report.invalid) return &*report.invalid;
  return report.findings.empty() ? nullptr : &report.findings.front().diagnostic;
}

// How all of them were proved.
std::string method_of(const std::vector<const Trial*>& proved) {
  size_t exact = 0, events = 0, pairs = 0, searched = 0, schedules = 0;
  for (const Trial* trial : proved) {
    const Report& report = trial->report;
    (report.tier == Tier::Exact ? exact : searched)++;
    if (report.tier == Tier::Exact) {
      events += report.events;
      pairs += report.pairs;
    } else {
      schedules += report.schedules;
    }
  }
  std::string text;
  if (exact > 0) {
    text = "exact, from " + (exact == 1 ? std::string("one run") : std::to_string(exact) + " runs") + " of " +
           std::to_string(events) + " events";
    if (pairs > 0) text += " and " + std::to_string(pairs) + " pairs of uses tried";
  }
  if (searched > 0) {
    text += (text.empty() ? "" : "; ") + std::string("all ") + std::to_string(schedules) +
            " schedules that differ";
  }
  return text;
}

// Warnings, cells and decisions of the other inputs, each once.
void add_rest(Report& to, const Report& more) {
  auto key = [](const Finding& finding) {
    const Span& span = finding.diagnostic.span;
    return std::tuple(finding.kind, span.line, span.column);
  };
  std::set<std::tuple<Kind, uint32_t, uint32_t>> known;
  for (const Finding& finding : to.findings) known.insert(key(finding));
  for (const Finding& finding : more.findings) {
    if (!is_error(finding.kind) && known.insert(key(finding)).second) to.findings.push_back(finding);
  }
  for (const CellGroup& cell : more.cells) {
    const bool there = std::any_of(to.cells.begin(), to.cells.end(), [&](const CellGroup& other) {
      return other.name == cell.name && other.kind == cell.kind && other.why == cell.why;
    });
    if (!there) to.cells.push_back(cell);
  }
  for (const DataDecision& data : more.data) {
    const bool there = std::any_of(to.data.begin(), to.data.end(), [&](const DataDecision& other) {
      return other.parameter == data.parameter;
    });
    if (!there) to.data.push_back(data);
  }
  for (size_t i = 0; i < to.reached.size() && i < more.reached.size(); ++i) to.reached[i] |= more.reached[i];
}

}  // namespace

Report combine(std::vector<Trial> trials) {
  std::vector<const Trial*> valid;
  std::vector<InputTried> tried;
  for (const Trial& trial : trials) {
    InputTried& input = tried.emplace_back(InputTried{trial.text, trial.report.verdict, std::nullopt});
    if (trial.is_valid()) {
      valid.push_back(&trial);
    } else if (const Diagnostic* error = error_of(trial.report)) {
      input.refused = *error;
    }
  }
  // Where none is valid, the error of the first one is the verdict.
  const Trial* worst = valid.empty() ? &trials.front() : valid.front();
  for (const Trial* trial : valid) {
    if (badness(trial->report.verdict) > badness(worst->report.verdict)) worst = trial;
  }
  Report report = worst->report;
  if (trials.size() > 1 && report.verdict == Verdict::Refuted) {
    for (Finding& finding : report.findings) {
      if (is_error(finding.kind)) finding.diagnostic.with_note("with " + worst->text);
    }
  }
  for (const Trial* trial : valid) {
    if (trial == worst) continue;
    report.events += trial->report.events;
    report.schedules += trial->report.schedules;
    report.random += trial->report.random;
    report.states += trial->report.states;
    if (report.verdict != Verdict::Refuted) add_rest(report, trial->report);
  }
  if (valid.size() > 1 && report.verdict == Verdict::Proved) report.method = method_of(valid);
  report.inputs = std::move(tried);
  return report;
}

}  // namespace tilewire::check
