// Follows a schedule that the checker found: every step of it, or an error that names the one that cannot be
// done. After the schedule, agents run in turns, one event at a time, in the order of their
// keys.
#pragma once

#include <optional>

#include "interp/world.h"
#include "support/schedule.h"

namespace tilewire::interp {

// `world` has been started and has taken no step, with Granularity::Access and the ranks and cores of the
// schedule. Returns why the schedule was not followed, if so; otherwise the world has ended: finished,
// failed or deadlocked.
std::optional<RunError> follow(World& world, const Schedule& schedule);

}  // namespace tilewire::interp
