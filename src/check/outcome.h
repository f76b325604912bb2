// What a run leaves to whoever called it.
#pragma once

#include "interp/world.h"

namespace tilewire::check {

// Whether two finished runs of one world have left the same bytes in the caller's arrays and returned the
// same values.
bool same_outcome(const interp::World& a, const interp::World& b);

}  // namespace tilewire::check
