// Waits whose value may differ from schedule to schedule without making a difference.
#pragma once

#include <set>

#include "check/cells.h"
#include "check/search.h"

namespace tilewire::check {

// The waits of a run that came to its end, by their places, that may see something else in another schedule
// and are then, before their agent's next step, in another state: the registers it still reads, and what it
// wrote. `always` says what is ordered in every schedule, provided that all have the actions of this run;
// where none of the waits found decides anything, they have.
std::set<const ir::Node*> unsettled_waits(const interp::World& start, const Run& run, const Cells& cells,
                                          const Always& always);

}  // namespace tilewire::check
