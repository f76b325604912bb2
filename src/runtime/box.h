// The bytes an argument names: a strided box, and whether two of them share a byte.
#pragma once

#include <cstdint>

#include "abi/abi.h"

namespace tilewire::runtime {

// A view of the words of a tensor argument; they must outlive it.
struct Box {
  const abi::Word* words;  // address, extents, strides in elements
  uint8_t rank;
  uint8_t element_bytes;
};

// The smallest interval of addresses around a box. `dense`: the box is row-major without gaps, so every byte
// of the interval belongs to it.
struct Hull {
  uint64_t lo = 0;
  uint64_t hi = 0;  // lo == hi: no element
  bool dense = true;

  bool empty() const { return lo == hi; }
};
Hull hull_of(const Box& box);

// Whether two boxes share a byte. Exact for every pair that slicing one tensor can give; pairs of unrelated
// strides are searched to a limit, beyond which they count as overlapping.
bool overlap(const Box& a, const Box& b);

// Whether the two are the same box.
bool same(const Box& a, const Box& b);

}  // namespace tilewire::runtime
