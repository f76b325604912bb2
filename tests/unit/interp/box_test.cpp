// Strided boxes against the set of their bytes.
#include "interp/box.h"

#include <random>
#include <set>

#include "harness.h"

namespace tilewire::interp::test {
namespace {

Tensor tensor(int64_t offset, Dims shape, Dims strides, DType dtype = DType::Int16) {
  Tensor t;
  t.dtype = dtype;
  t.offset = offset;
  t.shape = std::move(shape);
  t.strides = std::move(strides);
  return t;
}

std::set<int64_t> bytes_of(const Tensor& t) {
  std::set<int64_t> all;
  const int64_t size = ir::bytes(t.dtype);
  Dims index(t.shape.size(), 0);
  for (int64_t n = element_count(t.shape); n > 0; --n) {
    int64_t at = t.offset;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * t.strides[d];
    for (int64_t b = 0; b < size; ++b) all.insert(at * size + b);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < t.shape[d]) break;
      index[d] = 0;
    }
  }
  return all;
}

TEST(Box, MergesWhatIsContiguous) {
  EXPECT_EQ(box_of(tensor(3, {4, 5}, {5, 1})), (Box{6, 40, {}}));
  EXPECT_EQ(box_of(tensor(0, {4, 3}, {5, 1})), (Box{0, 6, {{4, 10}}}));
  EXPECT_EQ(box_of(tensor(0, {2, 4, 1}, {20, 5, 1})), (Box{0, 2, {{8, 10}}}));
  EXPECT_EQ(box_of(tensor(9, {4}, {-3})), (Box{0, 2, {{4, 6}}}));
  EXPECT_TRUE(box_of(tensor(9, {4, 0}, {1, 1})).empty());
}

TEST(Box, ColumnsOfOneMatrixAreApart) {
  Box left = box_of(tensor(0, {1000, 8}, {16, 1})), right = box_of(tensor(8, {1000, 8}, {16, 1}));
  EXPECT_FALSE(overlap(left, right));
  EXPECT_TRUE(overlap(left, box_of(tensor(7, {1000, 8}, {16, 1}))));
  EXPECT_TRUE(overlap(left, box_of(tensor(16 * 999, {1, 16}, {16, 1}))));
}

TEST(Box, OverlapIsThatOfTheBytes) {
  std::mt19937 random(11);
  auto pick = [&](int n) { return static_cast<int64_t>(random() % static_cast<unsigned>(n)); };
  int meeting = 0;
  for (int i = 0; i < 20000; ++i) {
    auto make = [&] {
      size_t rank = 1 + static_cast<size_t>(pick(3));
      Dims shape, strides;
      for (size_t d = 0; d < rank; ++d) {
        shape.push_back(pick(5));
        strides.push_back(pick(30) - 5);
      }
      return tensor(pick(60), shape, strides);
    };
    Tensor a = make(), b = make();
    std::set<int64_t> x = bytes_of(a), y = bytes_of(b);
    bool expected = std::any_of(x.begin(), x.end(), [&](int64_t byte) { return y.count(byte) != 0; });
    ASSERT_EQ(overlap(box_of(a), box_of(b)), expected) << text(a.shape) << text(a.strides) << a.offset << " "
                                                       << text(b.shape) << text(b.strides) << b.offset;
    meeting += expected;
  }
  EXPECT_GT(meeting, 1500);
}

}  // namespace
}  // namespace tilewire::interp::test
