#include "driver/world/world_place.h"

#include <stdlib.h>

#include <charconv>
#include <cstring>

#include "processes/collect.h"
#include "processes/launcher.h"
#include "processes/mpi.h"
#include "processes/rendezvous.h"
#include "support/diagnostics/driver.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::driver {
namespace {

constexpr uint64_t longest_join_s = 1'000'000'000;

// One per process, as its place among the others is.
struct Chosen {
  std::mutex mutex;
  bool decided = false;
  bool local_was_asked = false;
  bool left = false;
  std::optional<runtime::Failure> lost{};           // another process has ended before all had joined
  std::unique_ptr<processes::ProcessWorld> joined;  // null: alone
};
Chosen& chosen() {
  static Chosen state;
  return state;
}

std::optional<processes::Launch> launch(Diagnostics& diags) {
  std::string problem;
  auto found = processes::find_launch([](const char* name) { return std::getenv(name); }, problem);
  if (!problem.empty()) diags.report(diag::world_not_joined, {}, {problem});
  return found;
}

// Nothing after reporting that what the user wants makes no sense.
std::optional<processes::Limits> limits_of(Diagnostics& diags) {
  processes::Limits limits;
  const char* seconds = std::getenv("TILEWIRE_JOIN_LIMIT");
  if (!seconds) return limits;
  const char* const end = seconds + std::strlen(seconds);
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(seconds, end, value);
  if (error != std::errc() || stop != end || value > longest_join_s) {
    diags.report(diag::world_not_joined, {},
                 {std::string("TILEWIRE_JOIN_LIMIT=") + seconds + " is not a number of seconds"});
    return std::nullopt;
  }
  limits.join_ns = value == 0 ? UINT64_MAX : value * 1'000'000'000;
  return limits;
}

// MPI says where process 0 is, where the launcher's MPI is at hand. Null: it is not needed, or after
// reporting that nothing says it.
processes::Mpi* find_mpi(const processes::Launch& launch, Diagnostics& diags) {
  if (!launch.over_hosts() || launch.address_is_given) return nullptr;
  std::string problem;
  processes::Mpi* mpi = nullptr;
  if (launch.mpi != processes::MpiKind::None) mpi = processes::Mpi::load(launch.mpi, problem);
  if (mpi || !launch.address.empty()) return mpi;
  Diagnostic& report = diags.report(diag::world_hosts, {}, {std::to_string(launch.processes)});
  if (!problem.empty()) {
    report.with_note(std::string(processes::name_of(launch.mpi)) +
                     " would say so, and cannot be used: " + problem);
  }
  report.with_help(
      "set TILEWIRE_WORLD=HOST:PORT in all of them: the host of process 0, and a port that is free there");
  return nullptr;
}

// Whatever else ends with the process may take longer than the world.
void end_with_mpi(int status, void*) {
  leave_world();
  processes::Mpi::end(status);
}

// Under the mutex. `refused`: the processes have not come together.
bool join(Chosen& state, bool& refused, Diagnostics& diags) {
  const auto found = launch(diags);
  const auto limits = found ? limits_of(diags) : std::nullopt;
  if (!found || !limits) {
    state.decided = !diags.has_errors();
    return state.decided;
  }
  if (found->processes > 1) {
    std::optional<processes::Seat> seat;
    std::optional<runtime::Failure> failure = state.lost;  // it does not come back
    processes::Mpi* mpi = failure ? nullptr : find_mpi(*found, diags);
    if (diags.has_errors()) return false;
    if (mpi) {
      seat = processes::meet_by_mpi(*found, *mpi, leave_world, failure, *limits);
      on_exit(end_with_mpi, nullptr);  // before what MPI itself may do at exit
    } else if (!failure) {
      seat = processes::meet(*found, failure, *limits);
    }
    if (seat) state.joined = processes::ProcessWorld::join(std::move(*seat), failure);
    if (!state.joined) {
      if (failure->row == diag::run_process_lost) state.lost = failure;
      const Diagnostic error = describe(*failure, abi::Module{});
      diags.report(error.id, error.span) = error;
      refused = true;
      return false;
    }
  }
  state.decided = true;
  return true;
}

std::string text_of(const Argument& argument) {
  if (const auto* number = std::get_if<Number>(&argument)) {
    return std::visit([](auto value) { return std::to_string(value); }, *number);
  }
  const auto& array = std::get<Array>(argument);
  std::string text(ir::info(array.dtype).name);
  text += " [";
  for (size_t i = 0; i < array.shape.size(); ++i) text += (i ? ", " : "") + std::to_string(array.shape[i]);
  return text + "]";
}

std::vector<runtime::Term> terms_of(const Signature& signature, const BoundArguments& arguments,
                                    const CallOptions& options, int32_t ranks, const std::string& digest) {
  std::vector<runtime::Term> terms{
      {"function", signature.name()}, {"program", digest.substr(0, 16)}, {"ranks", std::to_string(ranks)}};
  for (size_t i = 0; i < arguments.values.size(); ++i) {
    terms.push_back({signature.params()[i].node->name, text_of(arguments.values[i])});
  }
  terms.push_back({"schedule", options.schedule.empty() ? "none" : options.schedule});
  terms.push_back({"gather", options.gather});
  terms.push_back({"arrays", arguments.rows.empty() ? "whole" : "local"});
  terms.push_back({"trace", options.trace.empty() ? "none" : "written"});
  terms.push_back({"stats", options.stats ? "shown" : "none"});
  return terms;
}

std::optional<processes::Receivers> receivers_of(const std::string& gather, int32_t processes,
                                                 Diagnostics& diags) {
  using Who = processes::Receivers::Who;
  if (gather == "all") return processes::Receivers{.who = Who::All};
  if (gather == "none") return processes::Receivers{.who = Who::None};
  char* end = nullptr;
  const long process = std::strtol(gather.c_str(), &end, 10);
  if (!gather.empty() && *end == 0 && process >= 0 && process < processes) {
    return processes::Receivers{.who = Who::One, .process = static_cast<int32_t>(process)};
  }
  diags.report(diag::world_gather, {}, {gather, std::to_string(processes)})
      .with_help("write gather=\"all\", gather=\"none\", or the number of a process");
  return std::nullopt;
}

}  // namespace

bool find_place(WorldPlace& place, Diagnostics& diags) {
  Chosen& state = chosen();
  std::lock_guard lock(state.mutex);
  if (state.joined) {
    place = {state.joined->process(), state.joined->processes()};
  } else if (!state.decided) {
    const auto found = launch(diags);
    if (found) place = {found->process, found->processes};
  }
  return !diags.has_errors();
}

bool choose_world(std::string_view name, Diagnostics& diags) {
  Chosen& state = chosen();
  std::lock_guard lock(state.mutex);
  const bool local = name == "local";
  if (!local && name != "launcher") {
    diags.report(diag::world_unknown, {}, {std::string(name)})
        .with_help("write world=\"launcher\", the default, or world=\"local\"");
    return false;
  }
  const bool is_local = state.decided && !state.joined;
  if (state.decided && local == is_local) return true;
  // Alone for want of a launcher is what "launcher" means there.
  if (!local && is_local && !state.local_was_asked) return true;
  if (state.decided) {
    diags.report(diag::world_decided, {}, {std::string(name)})
        .with_help("call tw.init once, before the first call of a host function");
    return false;
  }
  bool refused = false;
  if (!local) return join(state, refused, diags);
  state.decided = state.local_was_asked = true;
  return true;
}

bool runs_alone(Diagnostics& diags) {
  WorldPlace place;
  if (!find_place(place, diags)) return false;
  if (place.processes == 1) return true;
  diags.report(diag::world_interp, {}, {std::to_string(place.processes)})
      .with_help("write target=\"cpu\", or give each process its own world: tw.init(world=\"local\")");
  return false;
}

void leave_world() {
  Chosen& state = chosen();
  std::lock_guard lock(state.mutex);
  if (!state.joined) return;
  if (state.joined->has_lost_one()) processes::Mpi::give_up();
  state.joined.reset();
  state.left = true;
}

std::optional<WorldCall> WorldCall::enter(const Signature& signature, const BoundArguments& arguments,
                                          const CallOptions& options, int32_t ranks, const Digest& digest,
                                          bool& refused, Diagnostics& diags) {
  WorldCall call;
  if (signature.entry().type != ir::FunctionType::Host) return call;
  Chosen& state = chosen();
  {
    std::lock_guard lock(state.mutex);
    if (state.left) {
      diags.report(diag::world_not_joined, {}, {"this process has left them"});
      return std::nullopt;
    }
    if (!state.decided && !join(state, refused, diags)) return std::nullopt;
    call.joined_ = state.joined.get();
  }
  const int32_t processes = call.joined_ ? call.joined_->processes() : 1;
  const auto receivers = receivers_of(options.gather, processes, diags);
  if (!receivers) return std::nullopt;
  call.receivers_ = *receivers;
  if (!call.joined_) return call;
  if (ranks % processes != 0) {
    diags
        .report(diag::world_ranks, signature.entry().span,
                {signature.name(), std::to_string(ranks), std::to_string(processes)})
        .with_help("write ranks=" + std::to_string((ranks / processes + 1) * processes) +
                   ", or another multiple of the number of processes");
    return std::nullopt;
  }
  if (options.schedule.starts_with("replay:")) {
    diags.report(diag::world_replay, {}).with_help("run it without the launcher");
    return std::nullopt;
  }
  call.admitted_ = call.joined_->admit(terms_of(signature, arguments, options, ranks, digest()));
  return call;
}

runtime::World& WorldCall::world() const {
  return joined_ ? static_cast<runtime::World&>(*joined_) : runtime::local_world();
}

std::string WorldCall::own_file(const std::string& path) const {
  return is_first() ? path : path + "." + std::to_string(joined_->process());
}

bool WorldCall::collect(runtime::Stats* stats, std::vector<runtime::TraceRecord>* records) const {
  if (!shared() || (!stats && !records)) return true;
  processes::Noted own;
  if (stats) own.stats = *stats;
  if (records) own.records = std::move(*records);
  const bool good = processes::collect(*joined_, own);
  if (stats) *stats = std::move(own.stats);
  if (records) *records = std::move(own.records);
  return good;
}

bool WorldCall::receive(const runtime::Outcome& outcome, int32_t ranks) const {
  return !joined_ || processes::send_parts(*joined_, ranks, outcome.written, receivers_);
}

}  // namespace tilewire::driver
