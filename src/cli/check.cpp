// `tilewire check`: over every schedule, can the program go wrong?
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/progress_line.h"
#include "driver/checking.h"
#include "driver/schedule/schedule_file.h"
#include "support/diagnostics/command.h"

namespace tilewire::cli {
namespace {

int worst(const std::vector<check::Report>& reports) {
  int code = Fine;
  auto rank = [](int c) { return c == InvalidProgram ? 3 : c == Failed ? 2 : c == Bounded ? 1 : 0; };
  for (const check::Report& report : reports) {
    int own = report.verdict == check::Verdict::Proved    ? Fine
              : report.verdict == check::Verdict::Refuted ? Failed
              : report.verdict == check::Verdict::Bounded ? Bounded
                                                          : InvalidProgram;
    if (rank(own) > rank(code)) code = own;
  }
  return code;
}

std::string progress_text(const check::Progress& progress, double seconds) {
  const auto rate = static_cast<uint64_t>(static_cast<double>(progress.states) / std::max(seconds, 0.05));
  return std::to_string(progress.ranks) + (progress.ranks == 1 ? " rank: " : " ranks: ") +
         std::to_string(progress.schedules) + (progress.schedules == 1 ? " schedule, " : " schedules, ") +
         std::to_string(progress.states) + " states, " + std::to_string(rate) + " states/s";
}

// False after saying why not.
bool write(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file.fail()) return true;
  Diagnostics diags;
  diags.report(diag::output_unwritable, {}, {path, std::strerror(errno)});
  std::fputs(diags.text().c_str(), stderr);
  return false;
}

// How the first error comes about, for `tilewire run --replay`.
bool write_replay(const CheckOptions& options, const std::vector<check::Report>& reports) {
  const Schedule* found = driver::first_schedule(reports);
  if (!found) {
    std::fprintf(stderr, "nothing is wrong: %s is not written\n", options.replay_out.c_str());
    return true;
  }
  Schedule schedule = *found;
  schedule.constants = options.input.constants;
  schedule.shapes = options.input.shapes;
  schedule.split = options.input.split;
  return write(options.replay_out, driver::write_schedule(schedule));
}

// Scripts get a document in every case.
int without_report(const CheckOptions& options, const Messages& messages, int exit_code) {
  if (options.json) std::fputs(check::json_without_report(messages.invalid, messages.all).c_str(), stdout);
  return exit_code;
}

}  // namespace

int check(const CheckOptions& options) {
  Input input = read_input(options.input);
  if (!input.program) return without_report(options, input.messages, input.exit_code);
  Diagnostics diags;
  driver::CheckOptions settings;
  settings.entry = options.input.entry;
  settings.ranks = options.ranks;
  settings.hosts = options.hosts;
  settings.calls = options.calls;
  settings.cores = options.cores;
  settings.general = options.general;
  settings.split = options.input.kernel_split();
  settings.seed = options.seed;
  settings.schedules = options.limit;
  settings.inputs = options.inputs;
  settings.shapes = given_shapes(options.input);
  ProgressLine line;
  int ranks = 0;
  double since = 0;
  settings.progress = [&](const check::Progress& progress) {
    if (ranks != progress.ranks) since = line.seconds();
    ranks = progress.ranks;
    if (line.due()) line.show(progress_text(progress, line.seconds() - since));
    return true;
  };
  std::vector<check::Report> reports = driver::check_program(input.program, settings, diags);
  line.erase();
  if (reports.empty()) {
    std::fputs(diags.text().c_str(), stderr);
    return without_report(options, messages_of(diags), exit_code_for(diags, InvalidProgram));
  }
  std::string text;
  if (options.json) {
    text = check::json_of(reports);
  } else {
    for (const check::Report& report : reports) text += (text.empty() ? "" : "\n") + check::text_of(report);
  }
  std::fputs(text.c_str(), stdout);
  if (!options.html.empty() && !write(options.html, check::html_of(reports))) return WrongUsage;
  if (!options.replay_out.empty() && !write_replay(options, reports)) return WrongUsage;
  return worst(reports);
}

}  // namespace tilewire::cli
