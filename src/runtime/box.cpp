// Two boxes share a byte when some difference of their element addresses is small enough. Writing the
// dimensions of both as variables k with a stride s each (those of the second box counting backwards, equal
// strides added up into one variable), the question is whether the sum of s * k can fall into an interval.
// Taken from the largest stride down, what the smaller ones can still contribute leaves one or two values of
// k to try when the strides nest, as those of slices of one tensor do.
#include "runtime/box.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tilewire::runtime {
namespace {

constexpr int max_variables = 64;
constexpr int search_limit = 20'000;

using Int = __int128;

struct Variable {
  int64_t stride;  // positive
  Int lo, hi;
};

struct Search {
  Variable variables[max_variables];
  int count = 0;
  Int rest_lo[max_variables + 1];  // what variables i and later can add up to
  Int rest_hi[max_variables + 1];
  int64_t divisor[max_variables + 1];  // of all their strides
  int budget = search_limit;

  void add(int64_t stride, int64_t extent, bool backwards) {
    if (extent <= 1 || stride == 0) return;
    bool negative = (stride < 0) != backwards;
    Int reach = extent - 1;
    Variable v{stride < 0 ? -stride : stride, negative ? -reach : Int(0), negative ? Int(0) : reach};
    for (int i = 0; i < count; ++i) {
      if (variables[i].stride == v.stride) {
        variables[i].lo += v.lo;
        variables[i].hi += v.hi;
        return;
      }
    }
    variables[count++] = v;
  }

  void prepare() {
    std::sort(variables, variables + count,
              [](const Variable& a, const Variable& b) { return a.stride > b.stride; });
    rest_lo[count] = rest_hi[count] = 0;
    divisor[count] = 0;
    for (int i = count; i-- > 0;) {
      rest_lo[i] = rest_lo[i + 1] + variables[i].lo * variables[i].stride;
      rest_hi[i] = rest_hi[i + 1] + variables[i].hi * variables[i].stride;
      divisor[i] = std::gcd(divisor[i + 1], variables[i].stride);
    }
  }

  static Int floor_div(Int a, Int b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

  // Whether variables from `i` on can add up to something in [lo, hi].
  bool reaches(int i, Int lo, Int hi) {
    lo = std::max(lo, rest_lo[i]);
    hi = std::min(hi, rest_hi[i]);
    if (lo > hi) return false;
    if (i == count) return true;
    if (floor_div(hi, divisor[i]) * divisor[i] < lo) return false;  // no multiple of the divisor between them
    if (--budget < 0) return true;
    const Variable& v = variables[i];
    Int first = std::max(v.lo, -floor_div(-(lo - rest_hi[i + 1]), v.stride));
    Int last = std::min(v.hi, floor_div(hi - rest_lo[i + 1], v.stride));
    if (i + 1 == count) return first <= last;
    for (Int k = first; k <= last; ++k) {
      if (reaches(i + 1, lo - k * v.stride, hi - k * v.stride)) return true;
      if (budget < 0) return true;
    }
    return false;
  }
};

}  // namespace

Hull hull_of(const Box& box) {
  const abi::Word* extents = box.words + 1;
  const abi::Word* strides = extents + box.rank;
  uint64_t lo = box.words[0], hi = box.words[0], run = 1;
  bool dense = true;
  for (int i = box.rank; i-- > 0;) {
    if (extents[i] == 0) return {};
    if (extents[i] == 1) continue;
    // Unsigned arithmetic wraps to the right address for negative strides too.
    uint64_t reach = (extents[i] - 1) * strides[i] * box.element_bytes;
    (static_cast<int64_t>(reach) < 0 ? lo : hi) += reach;
    dense &= strides[i] == run;
    run *= extents[i];
  }
  return {lo, hi + box.element_bytes, dense};
}

bool overlap(const Box& a, const Box& b) {
  Hull hull_a = hull_of(a), hull_b = hull_of(b);
  if (hull_a.empty() || hull_b.empty() || hull_a.hi <= hull_b.lo || hull_b.hi <= hull_a.lo) return false;
  if (hull_a.dense && hull_b.dense) return true;
  if (a.rank + b.rank > max_variables) return true;
  Search search;
  for (int i = 0; i < a.rank; ++i) {
    search.add(static_cast<int64_t>(a.words[1 + a.rank + i]) * a.element_bytes, a.words[1 + i], false);
  }
  for (int i = 0; i < b.rank; ++i) {
    search.add(static_cast<int64_t>(b.words[1 + b.rank + i]) * b.element_bytes, b.words[1 + i], true);
  }
  search.prepare();
  // An element of `a` at x and one of `b` at y share a byte when -size(a) < x - y < size(b).
  Int between = Int(b.words[0]) - Int(a.words[0]);
  return search.reaches(0, between - a.element_bytes + 1, between + b.element_bytes - 1);
}

bool same(const Box& a, const Box& b) {
  return a.rank == b.rank && a.element_bytes == b.element_bytes &&
         std::memcmp(a.words, b.words, (1 + 2 * size_t{a.rank}) * sizeof(abi::Word)) == 0;
}

}  // namespace tilewire::runtime
