#include "support/print_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace tilewire {
namespace {

using abi::PrintFormat;
using abi::Word;

abi::Print what(const std::vector<Word>& elements, PrintFormat format, const char* dtype,
                const char* label = "") {
  return {label, dtype, elements.data(), 0, 0, 0, 0, 0, static_cast<uint8_t>(format), {}};
}

std::string scalar(Word word, PrintFormat format, const char* dtype, const char* label = "") {
  return print_text(what({word}, format, dtype, label), {1, 2, 1, 30});
}

Word bits(double value) {
  return std::bit_cast<Word>(value);
}

TEST(PrintText, Scalars) {
  EXPECT_EQ(scalar(bits(0.1f), PrintFormat::Float, "FP32", "x"), "rank 1, block 2, line 30: x: FP32 0.1\n");
  EXPECT_EQ(scalar(static_cast<Word>(-7), PrintFormat::Signed, "INDEX"),
            "rank 1, block 2, line 30: INDEX -7\n");
  EXPECT_EQ(scalar(~Word{0}, PrintFormat::Unsigned, "UINT64"),
            "rank 1, block 2, line 30: UINT64 18446744073709551615\n");
  EXPECT_EQ(scalar(1, PrintFormat::Bool, "BOOL", "c"), "rank 1, block 2, line 30: c: BOOL True\n");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(scalar(bits(-infinity), PrintFormat::Float, "FP16"), "rank 1, block 2, line 30: FP16 -inf\n");
  for (double sign : {1.0, -1.0}) {
    const double nan = std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    EXPECT_EQ(scalar(bits(nan), PrintFormat::Float, "FP32"), "rank 1, block 2, line 30: FP32 nan\n");
  }
}

std::string tile(int64_t rows, int64_t cols, int64_t valid_rows, int64_t valid_cols) {
  const int64_t shown = std::min<int64_t>(valid_rows, 4) * std::min<int64_t>(valid_cols, 8);
  std::vector<Word> elements;
  for (int64_t i = 0; i < shown; ++i) elements.push_back(static_cast<Word>(i));
  abi::Print print = what(elements, PrintFormat::Signed, "INT32", "t");
  print.rows = rows;
  print.cols = cols;
  print.valid_rows = valid_rows;
  print.valid_cols = valid_cols;
  return print_text(print, {0, 0, 1, 5});
}

TEST(PrintText, Tiles) {
  EXPECT_EQ(tile(2, 3, 2, 3), "rank 0, block 0, line 5: t: INT32 [2, 3]\n  [0, 1, 2]\n  [3, 4, 5]\n");
  EXPECT_EQ(tile(4, 8, 4, 8),
            "rank 0, block 0, line 5: t: INT32 [4, 8]\n  [0, 1, 2, 3, 4, 5, 6, 7]\n"
            "  [8, 9, 10, 11, 12, 13, 14, 15]\n  [16, 17, 18, 19, 20, 21, 22, 23]\n"
            "  [24, 25, 26, 27, 28, 29, 30, 31]\n");
  EXPECT_EQ(tile(16, 16, 5, 9),
            "rank 0, block 0, line 5: t: INT32 [16, 16], valid [5, 9]\n  [0, 1, 2, 3, 4, 5, 6, 7, ...]\n"
            "  [8, 9, 10, 11, 12, 13, 14, 15, ...]\n  [16, 17, 18, 19, 20, 21, 22, 23, ...]\n"
            "  [24, 25, 26, 27, 28, 29, 30, 31, ...]\n  ...\n");
  EXPECT_EQ(tile(16, 16, 0, 9), "rank 0, block 0, line 5: t: INT32 [16, 16], valid [0, 9]\n");
}

}  // namespace
}  // namespace tilewire
