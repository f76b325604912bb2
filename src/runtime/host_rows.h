// Arguments of a host function of which this process has only the rows of the ranks that live here.
//
// The host function sees whole arrays, each at addresses of its own that no memory has. So a part that it
// dispatches names its array, in every process, and parts of different arrays never seem to share elements.
// Ranks of this process get the addresses of the rows.
#pragma once

#include <cstdint>

#include "abi/abi.h"
#include "runtime/box.h"

namespace tilewire::runtime {

struct HostRows {
  uint32_t parameter = 0;  // of the host function
  abi::Word whole = 0;     // the address of element 0 of the whole array
  int64_t first = 0;       // first row that is here
  int64_t count = 0;       // of rows
  int64_t row_bytes = 0;   // from one row to the next
  abi::Word here = 0;      // where the first row is
  Hull hull{};             // of the rows, where they are in the whole array

  // More than the addresses of any process; the tag of windows is above.
  static constexpr uint32_t shift = 50;
  static constexpr uint32_t most = 1 << 12;
  // Where element 0 of the whole array number `i` is, whose rows are at `here`: aligned as they are, and with
  // room before and after it.
  static abi::Word place(uint32_t i, abi::Word here) {
    return (abi::Word{i} + 1) << shift | abi::Word{1} << (shift - 1) | (here & 0xFFF);
  }

  bool has(abi::Word address) const { return address >> shift == whole >> shift; }
  abi::Word own(abi::Word address) const {
    return address - whole - static_cast<abi::Word>(first * row_bytes) + here;
  }
};

}  // namespace tilewire::runtime
