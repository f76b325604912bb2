#include "runtime/box.h"

#include <cstring>

#include "support/overlap.h"

namespace tilewire::runtime {

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
  OverlapSearch search;
  for (int i = 0; i < a.rank; ++i) {
    search.first(static_cast<int64_t>(a.words[1 + a.rank + i]) * a.element_bytes, a.words[1 + i]);
  }
  for (int i = 0; i < b.rank; ++i) {
    search.second(static_cast<int64_t>(b.words[1 + b.rank + i]) * b.element_bytes, b.words[1 + i]);
  }
  return search.meets(static_cast<__int128>(b.words[0]) - a.words[0], a.element_bytes, b.element_bytes);
}

bool same(const Box& a, const Box& b) {
  return a.rank == b.rank && a.element_bytes == b.element_bytes &&
         std::memcmp(a.words, b.words, (1 + 2 * size_t{a.rank}) * sizeof(abi::Word)) == 0;
}

}  // namespace tilewire::runtime
