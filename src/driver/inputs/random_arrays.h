// Made-up inputs of a run: the same seed produces the same values on every machine.
#pragma once

#include <cstdint>

#include "driver/execute/arguments.h"

namespace tilewire::driver {

// Floats are uniform in [-1, 1); integers 0 to 7, or -4 to 3 where signed and not an index; bools either.
// `stream` distinguishes the arrays of one run.
void fill_random(const Array& dense, uint64_t seed, uint64_t stream);

}  // namespace tilewire::driver
