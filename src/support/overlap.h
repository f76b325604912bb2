// Whether two strided boxes of bytes share a byte.
#pragma once

#include <cstdint>

namespace tilewire {

// Elements of `size_a` bytes are at sum(index * stride) for all indices below the extents, elements of
// `size_b` bytes likewise from `distance` on; do any two share a byte? Add dimensions with
// `first` and `second`, strides in bytes and of any sign; then `meets` is asked once.
//
// The answer is exact for every pair of slices of one tensor. Pairs of unrelated strides are
// searched up to a limit, after which they count as overlapping.
class OverlapSearch {
 public:
  void first(int64_t stride, int64_t extent) { add(stride, extent, false); }
  void second(int64_t stride, int64_t extent) { add(stride, extent, true); }
  bool meets(__int128 distance, int64_t size_a, int64_t size_b);

 private:
  using Int = __int128;
  static constexpr int max_variables = 64;
  struct Variable {
    int64_t stride;  // positive
    Int lo, hi;
  };

  void add(int64_t stride, int64_t extent, bool backwards);
  bool reaches(int i, Int lo, Int hi);

  Variable variables_[max_variables];
  int count_ = 0;
  bool too_many_ = false;
  Int rest_lo_[max_variables + 1];  // what variables i and later can add up to
  Int rest_hi_[max_variables + 1];
  int64_t divisor_[max_variables + 1];  // of all their strides
  int budget_ = 20'000;
};

}  // namespace tilewire
