#include "driver/schedule/call_schedule.h"

#include <charconv>

#include "driver/schedule/schedule_digest.h"
#include "driver/schedule/schedule_file.h"
#include "support/diagnostics/driver.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::driver {

bool CallSchedule::read(const CallOptions& options, Diagnostics& diags) {
  std::string_view text = options.schedule;
  constexpr std::string_view random = "random:", replayed = "replay:";
  if (text.empty()) return true;
  if (text.starts_with(replayed) && text.size() > replayed.size()) {
    file = text.substr(replayed.size());
    replay = read_schedule_file(file, diags);
    return replay.has_value();
  }
  if (text.starts_with(random)) {
    uint64_t number = 0;
    const char* end = text.data() + text.size();
    auto [stopped, error] = std::from_chars(text.data() + random.size(), end, number);
    if (error == std::errc() && stopped == end) seed = number;
  }
  if (seed) return true;
  diags.report(diag::schedule_unknown, {}, {options.schedule})
      .with_help("write `random:SEED`, with a number for SEED, or `replay:FILE`");
  return false;
}

std::optional<int64_t> CallSchedule::ranks(const CallOptions& options) const {
  if (options.ranks || !replay) return options.ranks;
  return replay->ranks;
}

bool CallSchedule::begin(const Executable& executable, int ranks, const BoundArguments& arguments,
                         Diagnostics& diags) const {
  if (seed) poison_outputs(arguments);
  if (!replay) return true;
  if (!is_about(*replay, file, executable, diags)) return false;
  if (replay->ranks != ranks) {
    diags.report(diag::replay_other_ranks, {}, {file, std::to_string(replay->ranks), std::to_string(ranks)});
    return false;
  }
  if (replay->hosts > 1 && executable.target() != "interp") {
    diags.report(diag::replay_hosts, {}, {file, std::to_string(replay->hosts)})
        .with_help("the interpreter follows it: --target interp, or compile(target=\"interp\")");
    return false;
  }
  zero_outputs(arguments);
  return true;
}

bool was_not_followed(const Diagnostic& error) {
  return error.id == diag::run_replay_step || error.id == diag::run_replay_goes_on;
}

bool is_about(const Schedule& schedule, const std::string& file, const Executable& executable,
              Diagnostics& diags) {
  const ir::Function& entry = executable.signature().entry();
  if (schedule.program == schedule_digest(*executable.program(), entry)) return true;
  diags.report(diag::replay_other_program, {}, {file, entry.name})
      .with_help("make a new one: tilewire check FILE --replay-out " + file);
  return false;
}

}  // namespace tilewire::driver
