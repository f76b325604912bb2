// Which instructions a branch or a loop decides about.
#pragma once

#include <utility>

#include "interp/code.h"

namespace tilewire::check {

// The half-open range of positions that run, or run as often as they do, because of the condition of the
// branch or the bounds of the loop at `pc`: both arms of an `if`, all of a loop.
std::pair<uint32_t, uint32_t> decided_region(const interp::Code& code, uint32_t pc);

}  // namespace tilewire::check
