// Two boxes share a byte when some difference of their element addresses is small enough. Writing the
// dimensions of both as variables k with a stride s each (those of the second box counting backwards, equal
// strides added up into one variable), the question is whether the sum of s * k can fall into an interval.
// Taken from the largest stride down, what the smaller ones can still contribute leaves one or two values of
// k to try when the strides nest, as those of slices of one tensor do.
#include "support/overlap.h"

#include <algorithm>
#include <numeric>

#include "support/integers.h"

namespace tilewire {
void OverlapSearch::add(int64_t stride, int64_t extent, bool backwards) {
  if (extent <= 1 || stride == 0) return;
  bool negative = (stride < 0) != backwards;
  Int reach = extent - 1;
  Variable v{stride < 0 ? -stride : stride, negative ? -reach : Int(0), negative ? Int(0) : reach};
  for (int i = 0; i < count_; ++i) {
    if (variables_[i].stride == v.stride) {
      variables_[i].lo += v.lo;
      variables_[i].hi += v.hi;
      return;
    }
  }
  if (count_ == max_variables) {
    too_many_ = true;
  } else {
    variables_[count_++] = v;
  }
}

// Whether variables from `i` on can add up to something in [lo, hi].
bool OverlapSearch::reaches(int i, Int lo, Int hi) {
  lo = std::max(lo, rest_lo_[i]);
  hi = std::min(hi, rest_hi_[i]);
  if (lo > hi) return false;
  if (i == count_) return true;
  if (floor_div(hi, Int{divisor_[i]}) * divisor_[i] < lo)
    return false;  // no multiple of the divisor between them
  if (--budget_ < 0) return true;
  const Variable& v = variables_[i];
  Int first = std::max(v.lo, -floor_div(-(lo - rest_hi_[i + 1]), Int{v.stride}));
  Int last = std::min(v.hi, floor_div(hi - rest_lo_[i + 1], Int{v.stride}));
  if (i + 1 == count_) return first <= last;
  for (Int k = first; k <= last; ++k) {
    if (reaches(i + 1, lo - k * v.stride, hi - k * v.stride)) return true;
    if (budget_ < 0) return true;
  }
  return false;
}

bool OverlapSearch::meets(Int distance, int64_t size_a, int64_t size_b) {
  if (too_many_) return true;
  std::sort(variables_, variables_ + count_,
            [](const Variable& a, const Variable& b) { return a.stride > b.stride; });
  rest_lo_[count_] = rest_hi_[count_] = 0;
  divisor_[count_] = 0;
  for (int i = count_; i-- > 0;) {
    rest_lo_[i] = rest_lo_[i + 1] + variables_[i].lo * variables_[i].stride;
    rest_hi_[i] = rest_hi_[i + 1] + variables_[i].hi * variables_[i].stride;
    divisor_[i] = std::gcd(divisor_[i + 1], variables_[i].stride);
  }
  // An element of `a` at x and one of `b` at y share a byte when -size(a) < x - y < size(b).
  return reaches(0, distance - size_a + 1, distance + size_b - 1);
}

}  // namespace tilewire
