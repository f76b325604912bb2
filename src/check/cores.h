// How many cores a program can use.
#pragma once

#include "check/watch.h"

namespace tilewire::check {

// Blocks of one rank that can run at the same time, at most: a bound, of a run that came to its end.
int64_t most_blocks(const interp::World& world, const Trace& trace);

}  // namespace tilewire::check
