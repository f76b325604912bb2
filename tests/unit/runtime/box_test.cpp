#include "runtime/box.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace tilewire::runtime {
namespace {

struct Owned {
  std::vector<abi::Word> words;
  uint8_t rank, element_bytes;

  Box box() const { return {words.data(), rank, element_bytes}; }
};

Owned box(uint64_t address, std::vector<int64_t> extents, std::vector<int64_t> strides,
          int element_bytes = 1) {
  Owned result{{address}, static_cast<uint8_t>(extents.size()), static_cast<uint8_t>(element_bytes)};
  for (int64_t extent : extents) result.words.push_back(static_cast<abi::Word>(extent));
  for (int64_t stride : strides) result.words.push_back(static_cast<abi::Word>(stride));
  return result;
}

void bytes(const Owned& owned, int dim, uint64_t at, std::set<uint64_t>& out) {
  if (dim == owned.rank) {
    for (int i = 0; i < owned.element_bytes; ++i) out.insert(at + i);
    return;
  }
  for (uint64_t i = 0; i < owned.words[1 + dim]; ++i) {
    bytes(owned, dim + 1, at + i * owned.words[1 + owned.rank + dim] * owned.element_bytes, out);
  }
}
std::set<uint64_t> bytes(const Owned& owned) {
  std::set<uint64_t> out;
  bytes(owned, 0, owned.words[0], out);
  return out;
}

TEST(Box, ColumnsOfOneMatrixDoNotMeet) {
  // [64, 64] of 4 bytes: columns 0..31 and 32..63, and one that takes both.
  Owned left = box(4096, {64, 32}, {64, 1}, 4);
  Owned right = box(4096 + 32 * 4, {64, 32}, {64, 1}, 4);
  Owned middle = box(4096 + 31 * 4, {64, 2}, {64, 1}, 4);
  EXPECT_FALSE(overlap(left.box(), right.box()));
  EXPECT_TRUE(overlap(left.box(), middle.box()));
  EXPECT_TRUE(overlap(middle.box(), right.box()));
}

TEST(Box, EmptyBoxesMeetNothing) {
  Owned none = box(4096, {4, 0}, {8, 1});
  EXPECT_TRUE(hull_of(none.box()).empty());
  EXPECT_FALSE(overlap(none.box(), box(4096, {32}, {1}).box()));
  EXPECT_FALSE(overlap(none.box(), none.box()));
}

TEST(Box, HullsKnowNegativeStridesAndDensity) {
  Hull backwards = hull_of(box(4096, {8}, {-2}, 4).box());
  EXPECT_EQ(backwards.lo, 4096u - 7 * 8);
  EXPECT_EQ(backwards.hi, 4100u);
  EXPECT_FALSE(backwards.dense);
  EXPECT_TRUE(hull_of(box(4096, {3, 1, 5}, {5, 77, 1}, 2).box()).dense);
  EXPECT_FALSE(hull_of(box(4096, {3, 5}, {1, 3}, 2).box()).dense);  // transposed: not known to be
  // As many elements as bytes, and yet a gap.
  EXPECT_FALSE(hull_of(box(4096, {2, 2, 2}, {3, 3, 1}).box()).dense);
}

TEST(Box, AgreesWithSetsOfBytes) {
  std::mt19937 random(20251115);
  auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  int meets = 0;
  for (int round = 0; round < 6'000; ++round) {
    auto make = [&] {
      int rank = pick(0, 3);
      std::vector<int64_t> extents, strides;
      for (int i = 0; i < rank; ++i) {
        extents.push_back(pick(0, 5));
        strides.push_back(pick(-12, 12));
      }
      return box(1000 + pick(0, 40), extents, strides, 1 << pick(0, 2));
    };
    Owned a = make(), b = make();
    std::set<uint64_t> in_a = bytes(a), in_b = bytes(b);
    bool expected = false;
    for (uint64_t byte : in_a) expected |= in_b.contains(byte);
    meets += expected;
    ASSERT_EQ(overlap(a.box(), b.box()), expected) << "round " << round;
    Hull hull = hull_of(a.box());
    ASSERT_EQ(hull.empty(), in_a.empty());
    if (!in_a.empty()) {
      ASSERT_EQ(hull.lo, *in_a.begin());
      ASSERT_EQ(hull.hi, *in_a.rbegin() + 1);
      ASSERT_TRUE(!hull.dense || in_a.size() == hull.hi - hull.lo);
    }
  }
  EXPECT_GT(meets, 600);
  EXPECT_LT(meets, 5'400);
}

// Slices of tensors of rank 4 with steps: the search stays small.
TEST(Box, SlicesOfLargeTensorsAreDecidedQuickly) {
  std::vector<int64_t> strides{1 << 24, 1 << 16, 1 << 8, 2};
  Owned even = box(1 << 20, {100, 200, 200, 100}, strides, 4);
  Owned odd = box((1 << 20) + 4, {100, 200, 200, 100}, strides, 4);
  EXPECT_FALSE(overlap(even.box(), odd.box()));
  EXPECT_TRUE(overlap(even.box(), box((1 << 20) + 8, {100, 200, 200, 50}, strides, 4).box()));
}

}  // namespace
}  // namespace tilewire::runtime
