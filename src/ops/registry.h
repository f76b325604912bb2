// All ops of the language.
#pragma once

#include "ir/op.h"

namespace tilewire::ops {

// Built on first use, immutable, the same for the whole process.
const ir::OpTable& registry();

// What `pl.AUTO` stands for where an int attribute may be left to the compiler (`base` of reserve_buffer).
inline constexpr int64_t automatic = -1;

}  // namespace tilewire::ops
