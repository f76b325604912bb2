#include "check/combine.h"

#include <algorithm>
#include <utility>

#include "support/diagnostics/check.h"

namespace tilewire::check {
namespace {

int badness(Verdict verdict) {
  return verdict == Verdict::Refuted ? 2 : verdict == Verdict::Bounded ? 1 : 0;
}

const Diagnostic* error_of(const Report& report) {
  if (report.invalid) return &*report.invalid;
  return report.error ? &*report.error : nullptr;
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

// Cells and decisions of the other inputs, each once.
void add_rest(Report& to, const Report& more) {
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
  for (size_t i = 0; i < to.rounds.size() && i < more.rounds.size(); ++i) to.rounds[i].take(more.rounds[i]);
}

using Place = std::pair<uint32_t, uint32_t>;
Place place_of(const Diagnostic& said) {
  return {said.span.line, said.span.column};
}

// That no input waits for a signal, notifies what is awaited, or hands work to a rank, is worth saying; that
// one does not, is not.
bool is_used_by(const Finding& warning, const Report& other) {
  if (warning.diagnostic.id == diag::check_idle) return true;
  const bool unused = warning.kind == Kind::Unawaited || warning.kind == Kind::Unnotified;
  return unused && other.cell_uses.count(place_of(warning.diagnostic)) != 0;
}

// Warnings of `from`, each once; those that not all of `valid` have name their input.
void add_warnings(Report& to, const std::vector<const Trial*>& from, const std::vector<const Trial*>& valid) {
  auto is_same = [](const Finding& a, const Finding& b) {
    return a.kind == b.kind && place_of(a.diagnostic) == place_of(b.diagnostic);
  };
  std::erase_if(to.findings, [](const Finding& finding) { return !is_error(finding.kind); });
  const auto errors = static_cast<ptrdiff_t>(to.findings.size());
  for (const Trial* trial : from) {
    for (const Finding& warning : trial->report.findings) {
      auto like = [&](const Finding& other) { return is_same(other, warning); };
      if (is_error(warning.kind) || std::any_of(to.findings.begin() + errors, to.findings.end(), like)) {
        continue;
      }
      bool always = true, used = false;
      for (const Trial* other : valid) {
        const std::vector<Finding>& all = other->report.findings;
        if (std::any_of(all.begin(), all.end(), like)) continue;
        always = false;
        used = used || is_used_by(warning, other->report);
      }
      if (used) continue;
      to.findings.push_back(warning);
      if (!always) to.findings.back().diagnostic.with_note("with " + trial->text);
    }
  }
}

// The options for a valid input, the last one; empty if there is none other than `but`.
std::string valid_setting(const std::vector<Trial>& trials, const Trial* but) {
  std::string setting;
  for (const Trial& trial : trials) {
    if (trial.is_valid() && &trial != but && !trial.setting.empty()) setting = trial.setting;
  }
  return setting;
}

// One warning for each place where inputs stop.
std::vector<Finding> refused(const std::vector<Trial>& trials) {
  std::vector<Finding> found;
  std::vector<std::pair<Diag, Place>> told;
  const std::string good = valid_setting(trials, nullptr);
  for (const Trial& trial : trials) {
    const Diagnostic* error = trial.is_valid() ? nullptr : error_of(trial.report);
    if (!error) continue;
    const std::pair<Diag, Place> key(error->id, place_of(*error));
    const auto known = std::find(told.begin(), told.end(), key);
    if (known != told.end()) {
      found[static_cast<size_t>(known - told.begin())].diagnostic.with_note("the same with " + trial.text);
      continue;
    }
    told.push_back(key);
    Diagnostics diags;
    Finding& finding = found.emplace_back(
        Finding{.kind = Kind::Input,
                .diagnostic = diags.report(diag::check_input, error->span, {trial.text, error->message}),
                .places = {},
                .story = {},
                .schedule = {}});
    finding.diagnostic.label = error->label;
    finding.diagnostic.notes = error->notes;
    if (!trial.setting.empty()) {
      finding.diagnostic.with_help("if " + trial.text + " is valid, the program is wrong: " + trial.setting +
                                   " checks it alone");
    }
    if (!good.empty()) finding.diagnostic.with_help("if not, give inputs that are valid, such as " + good);
  }
  return found;
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
    const std::string give = valid_setting(trials, worst);
    const bool has_help = report.findings.empty() || !report.findings.front().diagnostic.helps.empty();
    if (!give.empty() && !has_help) {
      report.findings.front().diagnostic.with_help("if " + worst->text +
                                                   " is not valid, give inputs that are, such as " + give);
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
  if (!valid.empty()) {
    std::vector<const Trial*> from = {worst};
    for (const Trial* trial : valid) {
      if (trial != worst && report.verdict != Verdict::Refuted) from.push_back(trial);
    }
    add_warnings(report, from, valid);
    for (Finding& finding : refused(trials)) report.findings.push_back(std::move(finding));
  }
  if (valid.size() > 1 && report.verdict == Verdict::Proved) report.method = method_of(valid);
  report.inputs = std::move(tried);
  return report;
}

}  // namespace tilewire::check
