#include "support/integers.h"

#include <gtest/gtest.h>

#include <vector>

namespace tilewire {
namespace {

constexpr int64_t lowest = INT64_MIN, highest = INT64_MAX;
const std::vector<int64_t> samples{lowest, lowest + 1, -7, -3, -2, -1, 0, 1, 2, 3, 7, highest - 1, highest};

Checked fitting(__int128 value) {
  return value < lowest || value > highest ? Checked() : static_cast<int64_t>(value);
}

TEST(Integers, DivisionRoundsDown) {
  for (int64_t a : samples) {
    for (int64_t b : samples) {
      if (b == 0) {
        EXPECT_FALSE(checked_floor_div(a, b) || checked_floor_mod(a, b));
        continue;
      }
      __int128 quotient = floor_div<__int128>(a, b), rest = a - quotient * b;
      EXPECT_TRUE(b > 0 ? rest >= 0 && rest < b : rest <= 0 && rest > b) << a << " " << b;
      EXPECT_EQ(checked_floor_div(a, b), fitting(quotient)) << a << " " << b;
      EXPECT_EQ(checked_floor_mod(a, b), fitting(rest)) << a << " " << b;
      EXPECT_EQ(floor_div(a, b), static_cast<int64_t>(quotient)) << a << " " << b;
    }
  }
  EXPECT_EQ(floor_div(uint64_t{1} << 63, uint64_t{3}), (uint64_t{1} << 63) / 3);
}

TEST(Integers, OverflowIsNoticed) {
  for (int64_t a : samples) {
    for (int64_t b : samples) {
      const __int128 x = a, y = b;
      EXPECT_EQ(checked_add(a, b), fitting(x + y));
      EXPECT_EQ(checked_sub(a, b), fitting(x - y));
      EXPECT_EQ(checked_mul(a, b), fitting(x * y));
    }
  }
}

TEST(Integers, ShiftsAndPowers) {
  EXPECT_EQ(checked_shl(3, 62), Checked());
  EXPECT_EQ(checked_shl(-1, 62), -(int64_t{1} << 62));
  EXPECT_EQ(checked_shl(0, 1000), 0);
  EXPECT_EQ(checked_shl(1, 63), Checked());
  EXPECT_EQ(checked_shl(1, -1), Checked());
  EXPECT_EQ(checked_shr(-5, 1), -3);
  EXPECT_EQ(checked_shr(-5, 1000), -1);
  EXPECT_EQ(checked_shr(1, -1), Checked());
  EXPECT_EQ(checked_pow(3, 39), 4052555153018976267);
  EXPECT_EQ(checked_pow(3, 40), Checked());
  EXPECT_EQ(checked_pow(-2, 62), int64_t{1} << 62);
  EXPECT_EQ(checked_pow(0, 0), 1);
  EXPECT_EQ(checked_pow(1, highest), 1);
  EXPECT_EQ(checked_pow(-1, highest), -1);
  EXPECT_EQ(checked_pow(2, -1), Checked());
}

}  // namespace
}  // namespace tilewire
