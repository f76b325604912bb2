// Regions of a storage as strided boxes, and whether two of them overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/value.h"

namespace tilewire::interp {

// Bytes offset + sum(index[d] * stride[d]) .. + run - 1, for every index below the extents. Extents of 1 and
// dimensions that continue one another are merged, strides are positive and descend; no dimension means one
// run.
struct Box {
  struct Dim {
    int64_t extent, stride;
    bool operator==(const Dim&) const = default;
  };
  int64_t offset = 0;
  int64_t run = 0;  // 0: empty
  std::vector<Dim> dims;

  bool empty() const { return run == 0; }
  int64_t end() const;  // one past the last byte
  bool operator==(const Box&) const = default;
};

Box box_of(const Tensor& tensor);
// As exact as OverlapSearch.
bool overlap(const Box& a, const Box& b);

}  // namespace tilewire::interp
