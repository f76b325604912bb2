#include <algorithm>
#include <map>
#include <set>

#include "check/report.h"

namespace tilewire::check {

std::string_view name(Kind kind) {
  static constexpr std::string_view names[] = {
      "race",  "deadlock",  "overshot",   "lost",    "divergent", "bounds",    "shard", "window",
      "stale", "unawaited", "unnotified", "residue", "schedule",  "unreached", "input", "unwritten"};
  return names[static_cast<size_t>(kind)];
}

std::string_view name(Verdict verdict) {
  static constexpr std::string_view names[] = {"proved", "refuted", "bounded", "invalid"};
  return names[static_cast<size_t>(verdict)];
}

namespace {

std::string story_text(const Finding& finding) {
  std::string text = "how it happens:\n";
  size_t number = 0;
  for (const Step& step : finding.story) {
    text += "  " + std::to_string(++number) + ". ";
    if (step.who.empty()) {
      text += step.text + "\n";
      continue;
    }
    text += step.who + ", line " + std::to_string(step.line) + ": " + step.text + "\n";
  }
  return text;
}

// "n = 0 and n = 3 fail", where others are valid.
std::string failing_text(const Report& report) {
  if (report.verdict != Verdict::Proved && report.verdict != Verdict::Bounded) return "";
  std::string text;
  size_t count = 0;
  for (const InputTried& input : report.inputs) {
    if (!input.refused) continue;
    text += (count++ == 0 ? "" : " and ") + input.text;
  }
  return count == 0 ? "" : text + (count == 1 ? " fails" : " fail");
}

// A column per rank, time downwards.
std::string columns_text(const Finding& finding) {
  std::map<int, size_t> widths;
  auto entry = [](const Step& step) {
    return (step.last ? "* " : "") + std::to_string(step.line) + ": " + step.brief;
  };
  for (const Step& step : finding.story) {
    if (step.rank < 0) continue;
    size_t& width = widths[step.rank];
    width = std::max({width, entry(step).size(), std::string("rank 10").size()});
  }
  if (widths.size() < 2 || widths.size() > 6) return "";
  auto row = [&](int rank, const std::string& text) {
    std::string line = "  ";
    for (const auto& [column, width] : widths) {
      std::string field = column == rank || rank < 0 ? text : "";
      if (rank < 0) field = "rank " + std::to_string(column);
      line += field + std::string(width - field.size(), ' ') + " | ";
    }
    line.resize(line.find_last_not_of(" |") + 1);
    return line + "\n";
  };
  std::string text = row(-1, "");
  for (const Step& step : finding.story) {
    if (step.rank >= 0) text += row(step.rank, entry(step));
  }
  return text;
}

}  // namespace

std::string ranks_of(const Report& report) {
  std::string text = std::to_string(report.ranks) + (report.ranks == 1 ? " rank" : " ranks");
  return report.hosts == 1 ? text : text + " on " + std::to_string(report.hosts) + " hosts";
}

std::string text_of(const Report& report) {
  std::string text = ranks_of(report) + ": " + std::string(name(report.verdict)) + " (" + report.method +
                     ")" + (report.assumed.empty() ? "" : " for " + report.assumed);
  const std::string failing = failing_text(report);
  text += (failing.empty() ? "" : "; " + failing) + "\n";
  if (report.invalid) return text + render(*report.invalid);
  for (const DataDecision& data : report.data) {
    text += "elements of `" + data.parameter + "` decide " + data.what + " on line " +
            std::to_string(data.span.line) + "; the verdict holds for those given\n";
  }
  for (const Finding& finding : report.findings) {
    text += "\n" + render(finding.diagnostic);
    if (finding.story.empty()) continue;
    text += story_text(finding);
    std::string columns = columns_text(finding);
    if (!columns.empty()) text += columns;
  }
  std::string general;
  for (const CellGroup& cell : report.cells) {
    if (cell.kind == CellClass::General) general += "`" + cell.name + "` is " + cell.why + "\n";
  }
  if (!general.empty()) text += "\n" + general;
  if (report.verdict == Verdict::Refuted) {
    text += "\nThe search stops at the first schedule with an error; check again after the fix.\n";
  }
  return text;
}

}  // namespace tilewire::check
