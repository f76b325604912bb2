// The world in which host functions run: this process alone, or all processes that a launcher has started.
//
// Which one it is is decided once. The first call of a host function joins the others, or an explicit choice
// before it.
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

// Of this process in the world, joined or not: 0 of 1 where it is alone.
struct WorldPlace {
  int32_t process = 0;
  int32_t processes = 1;
};
// False after reporting that what the launcher says makes no sense.
bool find_place(WorldPlace& place, Diagnostics& diags);

// "launcher" joins the processes of the launcher now, "local" leaves this process alone for good. False after
// reporting why that is not possible.
bool choose_world(std::string_view name, Diagnostics& diags);

// Whether host functions run in this process alone; reports that the interpreter needs that, if not.
bool runs_alone(Diagnostics& diags);

// Leaves the others. Nothing waits for that.
void leave_world();

// A call of a host function, from before its windows are made until its results are complete. Others of this
// process wait.
class WorldCall {
 public:
  // Tells a program from others; asked only where it has to be compared.
  using Digest = std::function<std::string()>;
  // For a call of `signature` on `ranks` ranks. Nothing after reporting why there is none; `refused`: the
  // processes have not come together.
  static std::optional<WorldCall> enter(const Signature& signature, const BoundArguments& arguments,
                                        const CallOptions& options, int32_t ranks, const Digest& digest,
                                        bool& refused, Diagnostics& diags);
  // In this process alone.
  WorldCall() = default;

  runtime::World& world() const;
  // Other processes take part.
  bool shared() const { return joined_ && joined_->processes() > 1; }
  bool is_first() const { return !joined_ || joined_->process() == 0; }
  // What the parts of a call elsewhere have noted arrives in the first process; null: nothing of the kind.
  // Called by all, last. False when the world refused.
  bool collect(runtime::Stats* stats, std::vector<runtime::TraceRecord>* records) const;
  // The name of a file for this process alone.
  std::string own_file(const std::string& path) const;
  // What ranks elsewhere have written arrives where it was asked for.
  bool receive(const runtime::Outcome& outcome, int32_t ranks) const;

 private:
  processes::ProcessWorld* joined_ = nullptr;
  std::unique_lock<std::mutex> admitted_;
  processes::Receivers receivers_;
};

}  // namespace tilewire::driver
