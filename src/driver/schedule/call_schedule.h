// The schedule that a call asks for: "random:SEED", or "replay:FILE" with a schedule that the checker found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "driver/execute/executable.h"
#include "support/schedule.h"

namespace tilewire::driver {

struct CallSchedule {
  std::optional<uint64_t> seed;
  std::optional<Schedule> replay;
  std::string file;  // of `replay`

  // Reads the schedule that the options name. Returns false after reporting that there is none.
  bool read(const CallOptions& options, Diagnostics& diags);
  // The number of ranks asked for: that of the call, else of the schedule.
  std::optional<int64_t> ranks(const CallOptions& options) const;
  // Before the call: fills outputs that were left out. False after reporting a schedule of another program.
  bool begin(const Executable& executable, int ranks, const BoundArguments& arguments,
             Diagnostics& diags) const;
  // The code must leave signals to the runtime.
  bool watched() const { return seed || replay; }
};

// An error whose only content is that the schedule could not be followed.
bool was_not_followed(const Diagnostic& error);

// Whether a schedule, from that file, is for this program; reports if not.
bool is_about(const Schedule& schedule, const std::string& file, const Executable& executable,
              Diagnostics& diags);

}  // namespace tilewire::driver
