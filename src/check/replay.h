// The run that shows a finding as a schedule that others can follow.
#pragma once

#include "check/search.h"
#include "support/schedule.h"

namespace tilewire::check {

// Everything the run did up to its end, or up to the second of two uses without order.
Schedule replay_of(const Run& run, const Conflict* conflict);
// Actions of the run in another order, then the two uses.
Schedule replay_of(const Run& run, const std::vector<uint32_t>& order, const Conflict& conflict);

}  // namespace tilewire::check
