// All ops of the language.
#pragma once

#include "ir/op.h"

namespace tilewire::ops {

// Built on first use, immutable, the same for the whole process.
const ir::OpTable& registry();

// In a library that has a copy of this code: its ops are from now on those of the process that loaded it, so
// that programs can be handed over as they are. Before the first use of registry() there.
void share_registry(const ir::OpTable& table);

// The value of `pl.AUTO` where an int attribute may be left to the compiler (`base` of reserve_buffer).
inline constexpr int64_t automatic = -1;

}  // namespace tilewire::ops
