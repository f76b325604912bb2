#pragma once

#include <cstdint>

namespace tilewire::runtime {

// Of a clock that all processes of a host share and nobody sets.
uint64_t now_ns();

}  // namespace tilewire::runtime
