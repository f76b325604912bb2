// `tilewire check`: over every schedule, can the program go wrong?
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "cli/commands.h"
#include "cli/input.h"
#include "driver/checking.h"
#include "support/diagnostics/command.h"

namespace tilewire::cli {
namespace {

bool read_numbers(const CheckOptions& options, driver::CheckOptions& to, Diagnostics& diags) {
  for (const std::string& text : options.inputs) {
    const size_t equals = text.find('=');
    char* end = nullptr;
    const char* value = equals == std::string::npos ? "" : text.c_str() + equals + 1;
    const long long number = std::strtoll(value, &end, 0);
    if (*value == '\0' || *end != '\0') {
      diags.report(diag::bad_input_setting, {}, {text}).with_help("write --in n=4, for a scalar parameter n");
      return false;
    }
    to.scalars[text.substr(0, equals)] = number;
  }
  return true;
}

int worst(const std::vector<check::Report>& reports) {
  int code = Fine;
  auto rank = [](int c) { return c == InvalidProgram ? 3 : c == Failed ? 2 : c == WrongUsage ? 1 : 0; };
  for (const check::Report& report : reports) {
    int own = report.verdict == check::Verdict::Proved    ? Fine
              : report.verdict == check::Verdict::Refuted ? Failed
              : report.verdict == check::Verdict::Bounded ? WrongUsage
                                                          : InvalidProgram;
    if (rank(own) > rank(code)) code = own;
  }
  return code;
}

bool write_schedule(const std::string& path, const std::vector<check::Report>& reports) {
  std::ofstream file(path);
  file << check::schedule_of(reports);
  file.close();
  return !file.fail();
}

}  // namespace

int check(const CheckOptions& options) {
  Input input = read_input(options.input);
  if (!input.program) return input.exit_code;
  Diagnostics diags;
  driver::CheckOptions settings;
  settings.entry = options.input.entry;
  settings.ranks = options.ranks;
  settings.cores = options.cores;
  settings.general = options.general;
  settings.seed = options.seed;
  settings.schedules = options.limit;
  if (!read_numbers(options, settings, diags)) {
    std::fputs(diags.text().c_str(), stderr);
    return WrongUsage;
  }
  std::vector<check::Report> reports = driver::check_program(input.program, settings, diags);
  if (reports.empty()) {
    std::fputs(diags.text().c_str(), stderr);
    return InvalidProgram;
  }
  std::string text;
  if (options.json) {
    text = check::json_of(reports);
  } else {
    for (const check::Report& report : reports) text += (text.empty() ? "" : "\n") + check::text_of(report);
  }
  std::fputs(text.c_str(), stdout);
  if (!options.replay_out.empty() && !write_schedule(options.replay_out, reports)) {
    std::perror(options.replay_out.c_str());
    return Failed;
  }
  return worst(reports);
}

}  // namespace tilewire::cli
