// Moving a strided region of elements: put, get, remote_store, and rows of host arrays into windows.
//
// The source has been read and the target written when these return. Regions may overlap: the source is read
// first.
#pragma once

#include <cstdint>
#include <span>

#include "abi/abi.h"

namespace tilewire::runtime {

// A region of `rank` dimensions in two places. Strides are in elements.
struct Copy {
  std::byte* target;
  const std::byte* source;
  const int64_t* extents;
  const int64_t* target_strides;
  const int64_t* source_strides;
  uint32_t rank;
  uint32_t element_bytes;
};

void copy(const Copy& region);

// Adds the source's elements to those of the target, each atomically. `dtype`: an abi::ElementType; integers
// wrap, 16-bit floats are added in FP32 and rounded to nearest even.
void add(const Copy& region, uint8_t dtype);

// Bytes of the source; 0 if it has gaps.
uint64_t dense_bytes_of_source(const Copy& region);

// From the first byte of the target to the last.
std::span<const std::byte> hull_of_target(const Copy& region);

// Elements of a region; 0 when an extent is not positive.
int64_t element_count(const int64_t* extents, uint32_t rank);

}  // namespace tilewire::runtime
