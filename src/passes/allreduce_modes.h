// The table behind mode="auto" of allreduce: which mode was fastest where it was measured.
#pragma once

#include <cstdint>
#include <limits>

#include "ir/enums.h"

namespace tilewire::passes {

// The first row that has room for the ranks and the bytes of an operand says the mode. Rows of one number of
// ranks stand together, the last of them and the last of all numbers have room for any.
struct ModeRow {
  int64_t ranks, bytes;  // at most
  ir::AllreduceMode mode;
};

inline constexpr int64_t any = std::numeric_limits<int64_t>::max();
inline constexpr ModeRow allreduce_modes[] = {
#include "passes/allreduce_modes.def"
};

}  // namespace tilewire::passes
