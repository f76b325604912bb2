// Regions in all shapes against a loop over their elements, and atomic additions.
#include "runtime/transfer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace tilewire::runtime {
namespace {

// Numbers of ir::DType.
constexpr uint8_t int16 = 2, int32 = 3, int64 = 4, fp16 = 9, bf16 = 10, fp32 = 11;

using Dims = std::vector<int64_t>;

Copy region(std::byte* target, const std::byte* source, const Dims& extents, const Dims& to, const Dims& from,
            uint32_t element_bytes) {
  return {target,       source, extents.data(), to.data(), from.data(), static_cast<uint32_t>(extents.size()),
          element_bytes};
}

void copy_slowly(const Copy& copy, uint32_t dim, int64_t to, int64_t from) {
  if (dim == copy.rank) {
    std::memcpy(copy.target + to * copy.element_bytes, copy.source + from * copy.element_bytes,
                copy.element_bytes);
    return;
  }
  for (int64_t i = 0; i < copy.extents[dim]; ++i) {
    copy_slowly(copy, dim + 1, to + i * copy.target_strides[dim], from + i * copy.source_strides[dim]);
  }
}

TEST(Transfer, CopiesWhatALoopCopies) {
  std::mt19937 random(20);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  for (int round = 0; round < 3000; ++round) {
    Dims extents, to, from;
    int64_t to_reach = 1, from_reach = 1;
    auto rank = static_cast<size_t>(below(round % 100 == 0 ? 9 : 5));
    for (size_t i = 0; i < rank; ++i) {
      extents.insert(extents.begin(), below(20) == 0 ? 0 : 1 + below(i == 0 ? 40 : 4));
      to.insert(to.begin(), to_reach * (below(3) == 0 ? 2 : 1));
      from.insert(from.begin(), from_reach * (below(3) == 0 ? 3 : 1));
      to_reach = to.front() * std::max<int64_t>(extents.front(), 1);
      from_reach = from.front() * std::max<int64_t>(extents.front(), 1);
    }
    auto bytes = static_cast<uint32_t>(1 << below(4));
    std::vector<std::byte> source(static_cast<size_t>(from_reach) * bytes),
        target(static_cast<size_t>(to_reach) * bytes), expected;
    for (std::byte& each : source) each = static_cast<std::byte>(random());
    expected = target;
    copy_slowly(region(expected.data(), source.data(), extents, to, from, bytes), 0, 0, 0);
    copy(region(target.data(), source.data(), extents, to, from, bytes));
    ASSERT_EQ(target, expected) << "round " << round;
  }
}

TEST(Transfer, ReadsTheSourceFirst) {
  std::vector<int32_t> data(64);
  for (int i = 0; i < 64; ++i) data[i] = i;
  auto* bytes = reinterpret_cast<std::byte*>(data.data());
  Dims extents{4, 7}, strides{8, 1};
  copy(region(bytes + 4 * 9, bytes, extents, strides, strides, 4));
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 7; ++column) EXPECT_EQ(data[9 + row * 8 + column], row * 8 + column);
  }
  // Rows backwards, in place.
  for (int i = 0; i < 64; ++i) data[i] = i;
  Dims back{-8, 1};
  copy(region(bytes, bytes + 4 * 24, extents, strides, back, 4));
  for (int row = 0; row < 4; ++row) EXPECT_EQ(data[row * 8 + 3], (3 - row) * 8 + 3);
}

template <class T>
std::vector<T> added(uint8_t dtype, std::vector<T> target, const std::vector<T>& source) {
  Dims extents{static_cast<int64_t>(target.size())}, one{1};
  add(region(reinterpret_cast<std::byte*>(target.data()), reinterpret_cast<const std::byte*>(source.data()),
             extents, one, one, sizeof(T)),
      dtype);
  return target;
}

TEST(Transfer, AddsElementsOfEveryKind) {
  EXPECT_EQ(added<int16_t>(int16, {1, INT16_MAX, -5}, {2, 1, 5}), (std::vector<int16_t>{3, INT16_MIN, 0}));
  EXPECT_EQ(added<int32_t>(int32, {1, INT32_MAX}, {2, 1}), (std::vector<int32_t>{3, INT32_MIN}));
  EXPECT_EQ(added<int64_t>(int64, {1, INT64_MAX}, {2, 1}), (std::vector<int64_t>{3, INT64_MIN}));
  EXPECT_EQ(added<float>(fp32, {1, 0.5f}, {2, -0.25f}), (std::vector<float>{3, 0.25f}));
  // 1 + 1, 2048 + 1 (ties to even), 2048 + 3, largest + largest, smallest + smallest, 1 - 1, smallest normal.
  EXPECT_EQ(added<uint16_t>(fp16, {0x3C00, 0x6800, 0x6800, 0x7BFF, 0x0001, 0x3C00, 0x0200},
                            {0x3C00, 0x3C00, 0x4200, 0x7BFF, 0x0001, 0xBC00, 0x0200}),
            (std::vector<uint16_t>{0x4000, 0x6800, 0x6802, 0x7C00, 0x0002, 0x0000, 0x0400}));
  // 1 + 1, 256 + 1 (ties to even), 256 + 3.
  EXPECT_EQ(added<uint16_t>(bf16, {0x3F80, 0x4380, 0x4380}, {0x3F80, 0x3F80, 0x4040}),
            (std::vector<uint16_t>{0x4000, 0x4380, 0x4382}));
  EXPECT_EQ(added<uint16_t>(bf16, {0x7F80}, {0xFF80})[0] & 0x7FFF, 0x7FC0);
  EXPECT_EQ(added<uint16_t>(fp16, {0x7C00}, {0xFC00})[0] & 0x7FFF, 0x7E00);
}

// Every FP16 number plus zero is itself, plus its negative is zero.
TEST(Transfer, HalfPrecisionIsExact) {
  std::vector<uint16_t> all, zero, negative;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7FFF) >= 0x7C00 || bits == 0x8000) continue;
    all.push_back(static_cast<uint16_t>(bits));
    negative.push_back(static_cast<uint16_t>(bits ^ 0x8000));
  }
  zero.assign(all.size(), 0);
  EXPECT_EQ(added(fp16, all, zero), all);
  EXPECT_EQ(added(fp16, all, negative), zero);
}

TEST(Transfer, NoAdditionIsLost) {
  std::vector<float> floats(16, 0);
  std::vector<uint16_t> halves(16, 0);
  auto work = [&] {
    std::vector<float> one(16, 1);
    std::vector<uint16_t> half_one(16, 0x3C00);
    Dims extents{4, 4}, strides{4, 1};
    for (int i = 0; i < 1000; ++i) {
      add(region(reinterpret_cast<std::byte*>(floats.data()), reinterpret_cast<std::byte*>(one.data()),
                 extents, strides, strides, 4),
          fp32);
      add(region(reinterpret_cast<std::byte*>(halves.data()), reinterpret_cast<std::byte*>(half_one.data()),
                 extents, strides, strides, 2),
          fp16);
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(floats, std::vector<float>(16, 2000));
  EXPECT_EQ(halves, std::vector<uint16_t>(16, 0x67D0));
}

}  // namespace
}  // namespace tilewire::runtime
