// The world in which host functions run: only this process, or all processes that a launcher has started.
//
// The choice is made once, by the first call of a host function, which joins the others, or by an explicit
// call before it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/execute/arguments.h"
#include "driver/execute/executable.h"
#include "processes/process_world.h"
#include "processes/send_parts.h"
#include "runtime/run.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

// The place of this process in the world, joined or not: 0 of 1 if there are no others.
struct WorldPlace {
  int32_t process = 0;
  int32_t processes = 1;
};
// Returns false after reporting that the launcher's variables make no sense.
bool find_place(WorldPlace& place, Diagnostics& diags);

// "launcher" joins the processes of the launcher now, "local" keeps this process separate for good. False
// after reporting why that is not possible.
bool choose_world(std::string_view name, Diagnostics& diags);

// Whether host functions run in this process only; reports that the interpreter needs that, if not.
bool runs_alone(Diagnostics& diags);

// Leaves the others, without waiting.
void leave_world();

// A call of a host function, from before its windows are made until its results are complete. Other calls of
// this process wait.
class WorldCall {
 public:
  // Identifies the program; called only if it must be compared.
  using Digest = std::function<std::string()>;
  // For a call of `signature` on `ranks` ranks. Nothing after reporting why there is none; `refused`: the
  // processes have not come together.
  static std::optional<WorldCall> enter(const Signature& signature, const BoundArguments& arguments,
                                        const CallOptions& options, int32_t ranks, const Digest& digest,
                                        bool& refused, Diagnostics& diags);
  // In this process only.
  WorldCall() = default;

  runtime::World& world() const;
  // Other processes take part.
  bool shared() const { return joined_ && joined_->processes() > 1; }
  bool is_first() const { return !joined_ || joined_->process() == 0; }
  // Collects the notes of the parts of a call elsewhere in the first process; null: nothing to collect.
  // Called by all, last. Returns false if the world refused.
  bool collect(runtime::Stats* stats, std::vector<runtime::TraceRecord>* records) const;
  // The name of a file for this process only.
  std::string own_file(const std::string& path) const;
  // Copies what ranks elsewhere have written to where it was requested.
  bool receive(const runtime::Outcome& outcome, int32_t ranks) const;

 private:
  processes::ProcessWorld* joined_ = nullptr;
  std::unique_lock<std::mutex> admitted_;
  processes::Receivers receivers_;
};

}  // namespace tilewire::driver
