// What `pl.print` writes. The interpreter and the runtime both use this, so that the text is the same.
//
//     rank 0, block 2, line 14: weights: FP32 [16, 64], valid [10, 64]
//       [0.5, -1.25, 3, 4, 5, 6, 7, 8, ...]
//       [9, 10, 11, 12, 13, 14, 15, 16, ...]
//       ...
//     rank 0, block 2, line 15: step: INDEX 7
#pragma once

#include <cstdint>
#include <string>

#include "abi/abi.h"

namespace tilewire {

struct PrintPlace {
  int32_t rank;
  int64_t block;
  int64_t lanes;  // blocks that work as one (support/block_text)
  uint32_t line;
};

// Ends with a newline. Ignores `what.site`.
std::string print_text(const abi::Print& what, const PrintPlace& place);

// Writes to standard output at once, not interleaved with other callers.
void write_out(const std::string& text);

}  // namespace tilewire
