// Waits whose value may differ between schedules without making a difference.
#pragma once

#include <set>

#include "check/cells.h"
#include "check/search.h"

namespace tilewire::check {

// The waits, by position, of a finished run that may see another value in another schedule and then leave
// their agent, before its next step, in another state: the registers it still reads, and the memory it wrote.
// `always`: what is ordered in every schedule, provided that all have the actions of this run, which holds if
// none of the waits found decides anything.
std::set<const ir::Node*> unsettled_waits(const interp::World& start, const Run& run, const Cells& cells,
                                          const Always& always);

}  // namespace tilewire::check
