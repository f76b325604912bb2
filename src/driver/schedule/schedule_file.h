// Schedules as files: what `tilewire check --replay-out` writes and `tilewire run --replay` reads. JSON,
// version 2; version 1 had numbers alone, which only the checker could follow.
//
//     {"version": 2, "kind": "race", "ranks": 2, "cores": 0, "entry": "main", "program": "3f0c...",
//      "constants": ["N=4"], "shapes": [], "inputs": ["n=8"], "seed": 1, "dimension": 2,
//      "told": "rank 0 in `k`, line 30, writes ...",
//      "agents": [{"rank": 0, "dispatch": 0, "task": 0, "block": 0, "function": "k"}],
//      "steps": [{"agent": 0, "do": "notify", "line": 21, "column": 9, "cell": "sig[0]", "of": 1}]}
//
// A schedule of several calls has "calls", and "call" in the agents of those after the first.
// support/schedule.h explains the fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/diagnostics.h"
#include "support/schedule.h"

namespace tilewire::driver {

std::string write_schedule(const Schedule& schedule);

// Any bytes; empty after reporting the first error. `name` is the file, for messages. The
// result is consistent in itself: agents are unique, steps name agents, places and cells.
std::optional<Schedule> read_schedule(std::string_view text, const std::string& name, Diagnostics& diags);
std::optional<Schedule> read_schedule_file(const std::string& path, Diagnostics& diags);

}  // namespace tilewire::driver
