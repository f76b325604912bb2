// Element by element: every op, dtypes with their rounding and wrapping, both on tiles and on tensors.
#include <cstring>
#include <functional>
#include <limits>

#include "harness.h"
#include "numeric/numeric.h"

namespace tilewire::interp::test {
namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> binary(const char* op, DType dtype, std::vector<double> a, std::vector<double> b) {
  auto n = static_cast<int64_t>(a.size());
  return evaluate("pl." + std::string(op) + "(a, b)", {Data(dtype, {1, n}, a), Data(dtype, {1, n}, b)}, dtype,
                  {1, n})
      .values();
}
std::vector<double> unary(const char* op, DType dtype, std::vector<double> a) {
  auto n = static_cast<int64_t>(a.size());
  return evaluate("pl." + std::string(op) + "(a)", {Data(dtype, {1, n}, a)}, dtype, {1, n}).values();
}

TEST(Elementwise, FloatBinaries) {
  std::vector<double> a = {1.5, -7, 0, 3, nan, inf, -5}, b = {2, 2, 0, nan, 1, inf, 3};
  EXPECT_TRUE(same(binary("add", DType::FP32, a, b), {3.5, -5, 0, nan, nan, inf, -2}));
  EXPECT_TRUE(same(binary("sub", DType::FP32, a, b), {-0.5, -9, 0, nan, nan, nan, -8}));
  EXPECT_TRUE(same(binary("mul", DType::FP32, a, b), {3, -14, 0, nan, nan, inf, -15}));
  EXPECT_TRUE(same(binary("div", DType::FP32, a, b), {0.75, -3.5, nan, nan, nan, nan, -5.0f / 3.0f}));
  EXPECT_TRUE(same(binary("rem", DType::FP32, a, b), {1.5, -1, nan, nan, nan, nan, -2}));
  EXPECT_TRUE(same(binary("maximum", DType::FP32, a, b), {2, 2, 0, nan, nan, inf, 3}));
  EXPECT_TRUE(same(binary("minimum", DType::FP32, a, b), {1.5, -7, 0, nan, nan, inf, -5}));
}

TEST(Elementwise, SmallFloatsRoundAfterEveryOp) {
  // 2048 + 1 is a tie in FP16 and goes to even; the next op starts from the rounded value.
  EXPECT_TRUE(same(binary("add", DType::FP16, {2048, 65504, 1}, {1, 32, 1e-8}), {2048, inf, 1}));
  Data x(DType::FP16, {1, 1}, {2048}), one(DType::FP16, {1, 1}, {1});
  EXPECT_TRUE(same(evaluate("pl.sub(pl.add(a, b), a)", {x, one}, DType::FP16, {1, 1}).values(), {0}));
  EXPECT_TRUE(same(binary("mul", DType::BF16, {1.0078125, 3e38}, {1.0078125, 10}), {1.015625, inf}));
  EXPECT_TRUE(same(binary("mul", DType::FP8E4M3FN, {16, 20, 3}, {16, 24, 5}), {256, nan, 15}));
  EXPECT_TRUE(same(binary("add", DType::FP8E5M2, {57344, 1}, {8192, 0.125}), {inf, 1}));
}

TEST(Elementwise, IntegersWrapAndDivideTowardsZero) {
  EXPECT_TRUE(same(binary("add", DType::Int8, {127, -128, 5}, {1, -1, 6}), {-128, 127, 11}));
  EXPECT_TRUE(same(binary("sub", DType::UInt8, {0, 7}, {1, 9}), {255, 254}));
  EXPECT_TRUE(same(binary("mul", DType::Int16, {300, -300}, {300, 300}), {24464, -24464}));
  EXPECT_TRUE(same(binary("mul", DType::Int32, {65536, -3}, {65536, 5}), {0, -15}));
  EXPECT_TRUE(same(binary("div", DType::Int32, {7, -7, 7, 5, INT32_MIN}, {2, 2, -2, 0, -1}),
                   {3, -3, -3, 0, INT32_MIN}));
  EXPECT_TRUE(
      same(binary("rem", DType::Int32, {7, -7, 7, 5, INT32_MIN}, {2, 2, -2, 0, -1}), {1, -1, 1, 0, 0}));
  EXPECT_TRUE(same(binary("maximum", DType::Int64, {-1, 4}, {1, -9}), {1, 4}));
  EXPECT_TRUE(same(binary("minimum", DType::UInt32, {4294967295.0, 4}, {1, 9}), {1, 4}));
  EXPECT_TRUE(same(binary("add", DType::Int4, {7, -8}, {1, -1}), {-8, 7}));
}

TEST(Elementwise, UnsignedSixtyFourBits) {
  const double big = 18446744073709549568.0;  // 2^64 - 2048, exact
  Data a(DType::UInt64, {1, 2}), b(DType::UInt64, {1, 2}, {2, 3});
  uint64_t values[] = {~uint64_t{0} - 2047, 5};
  std::memcpy(a.bytes.data(), values, sizeof values);
  EXPECT_TRUE(same(evaluate("pl.div(a, b)", {a, b}, DType::UInt64, {1, 2}).values(), {big / 2, 1}));
  EXPECT_TRUE(same(evaluate("pl.maximum(a, b)", {a, b}, DType::UInt64, {1, 2}).values(), {big, 5}));
  EXPECT_TRUE(same(evaluate("pl.shr(a, b)", {a, b}, DType::UInt64, {1, 2}).values(), {big / 4, 0}));
  EXPECT_TRUE(same(evaluate("pl.cmp(a, b, op=\"gt\")", {a, b}, DType::Bool, {1, 2}).values(), {1, 1}));
  EXPECT_TRUE(same(evaluate("pl.cast(a, pl.FP32)", {a}, DType::FP32, {1, 2}).values(), {0x1p64, 5}));
}

TEST(Elementwise, Bits) {
  EXPECT_TRUE(same(binary("and_", DType::Int32, {12, -1}, {10, 255}), {8, 255}));
  EXPECT_TRUE(same(binary("or_", DType::UInt8, {12, 128}, {10, 1}), {14, 129}));
  EXPECT_TRUE(same(binary("xor", DType::Int16, {12, -1}, {10, 1}), {6, -2}));
  EXPECT_TRUE(same(binary("xor", DType::Bool, {1, 1, 0, 0}, {1, 0, 1, 0}), {0, 1, 1, 0}));
  EXPECT_TRUE(same(binary("shl", DType::Int8, {1, 1, 3, 1}, {7, 8, 6, -1}), {-128, 0, -64, 0}));
  EXPECT_TRUE(same(binary("shr", DType::Int8, {-128, -128, 64, -1}, {3, 9, 9, 1}), {-16, -1, 0, -1}));
  EXPECT_TRUE(same(binary("shr", DType::UInt8, {128, 255}, {3, 9}), {16, 0}));
  EXPECT_TRUE(same(unary("not_", DType::UInt8, {0, 15}), {255, 240}));
  EXPECT_TRUE(same(unary("not_", DType::Bool, {0, 1}), {1, 0}));
  EXPECT_TRUE(same(unary("not_", DType::Int32, {0, -5}), {-1, 4}));
}

TEST(Elementwise, SimpleUnaries) {
  EXPECT_TRUE(same(unary("neg", DType::FP32, {1, -2, nan}), {-1, 2, nan}));
  EXPECT_TRUE(same(unary("abs", DType::FP16, {-1, 2}), {1, 2}));
  EXPECT_TRUE(same(unary("relu", DType::FP32, {-1, 2, nan}), {0, 2, nan}));
  EXPECT_TRUE(same(unary("recip", DType::FP32, {4, 0, 3}), {0.25, inf, 1.0f / 3.0f}));
  EXPECT_TRUE(same(unary("sqrt", DType::FP32, {4, -1, 2}), {2, nan, std::sqrt(2.0f)}));
  EXPECT_TRUE(same(unary("neg", DType::Int8, {-128, 5}), {-128, -5}));
  EXPECT_TRUE(same(unary("abs", DType::Int8, {-128, -5}), {-128, 5}));
  EXPECT_TRUE(same(unary("neg", DType::UInt8, {1}), {255}));
  EXPECT_TRUE(same(unary("relu", DType::Int32, {-4, 4}), {0, 4}));
}

TEST(Elementwise, MathIsRoundedOnce) {
  struct Row {
    const char* op;
    std::function<long double(long double)> f;
  };
  const Row rows[] = {
      {"exp", [](long double x) { return std::exp(x); }},
      {"log", [](long double x) { return std::log(x); }},
      {"rsqrt", [](long double x) { return 1 / std::sqrt(x); }},
      {"sin", [](long double x) { return std::sin(x); }},
      {"cos", [](long double x) { return std::cos(x); }},
      {"tanh", [](long double x) { return std::tanh(x); }},
      {"sigmoid", [](long double x) { return 1 / (1 + std::exp(-x)); }},
  };
  for (const Row& row : rows) {
    for (DType dtype : {DType::FP32, DType::FP16, DType::BF16}) {
      Data x = Data::count(dtype, {1, 64}, 0.03125, 0.125);
      std::vector<double> expected;
      for (double v : x.values()) {
        expected.push_back(numeric::round_float(dtype, static_cast<double>(row.f(v))));
      }
      EXPECT_TRUE(same(unary(row.op, dtype, x.values()), expected)) << row.op << ir::info(dtype).name;
    }
  }
}

TEST(Elementwise, ScalarOperandsOnEitherSide) {
  Data a(DType::FP32, {1, 3}, {1, 2, 4});
  EXPECT_TRUE(same(evaluate("a * 2.5", {a}, DType::FP32, {1, 3}).values(), {2.5, 5, 10}));
  EXPECT_TRUE(same(evaluate("1.0 / a", {a}, DType::FP32, {1, 3}).values(), {1, 0.5, 0.25}));
  Data i(DType::Int32, {1, 2}, {5, 6});
  EXPECT_TRUE(same(evaluate("(10 - a) % 4", {i}, DType::Int32, {1, 2}).values(), {1, 0}));
}

TEST(Elementwise, ComparisonsAndSelection) {
  Data a(DType::FP32, {1, 4}, {1, 2, 3, nan}), b(DType::FP32, {1, 4}, {2, 2, 2, 2});
  struct Row {
    const char* op;
    std::vector<double> expected;
  };
  const Row rows[] = {{"==", {0, 1, 0, 0}}, {"!=", {1, 0, 1, 1}}, {"<", {1, 0, 0, 0}},
                      {"<=", {1, 1, 0, 0}}, {">", {0, 0, 1, 0}},  {">=", {0, 1, 1, 0}}};
  for (const Row& row : rows) {
    EXPECT_TRUE(
        same(evaluate("a " + std::string(row.op) + " b", {a, b}, DType::Bool, {1, 4}).values(), row.expected))
        << row.op;
  }
  EXPECT_TRUE(same(evaluate("pl.sel(a < b, a, b)", {a, b}, DType::FP32, {1, 4}).values(), {1, 2, 2, 2}));
  EXPECT_TRUE(same(evaluate("pl.sel(a == b, 7.0, b)", {a, b}, DType::FP32, {1, 4}).values(), {2, 7, 2, 2}));
}

TEST(Elementwise, Casts) {
  Data x(DType::FP32, {1, 6}, {1.5, -2.5, 300, nan, -inf, 0});
  auto cast = [&](const char* to, DType dtype) {
    return evaluate("pl.cast(a, pl." + std::string(to) + ")", {x}, dtype, {1, 6}).values();
  };
  EXPECT_TRUE(same(cast("INT8", DType::Int8), {2, -2, 127, 0, -128, 0}));
  EXPECT_TRUE(same(cast("UINT8", DType::UInt8), {2, 0, 255, 0, 0, 0}));
  EXPECT_TRUE(same(cast("BOOL", DType::Bool), {1, 1, 1, 1, 1, 0}));
  EXPECT_TRUE(same(cast("FP16", DType::FP16), {1.5, -2.5, 300, nan, -inf, 0}));
  EXPECT_TRUE(same(cast("FP8E4M3FN", DType::FP8E4M3FN), {1.5, -2.5, 288, nan, nan, 0}));
  auto mode = [&](const char* name) {
    return evaluate("pl.cast(a, pl.INT32, mode=\"" + std::string(name) + "\")", {x}, DType::Int32, {1, 6})
        .at(1);
  };
  EXPECT_EQ(mode("rint"), -2);
  EXPECT_EQ(mode("round"), -3);
  EXPECT_EQ(mode("floor"), -3);
  EXPECT_EQ(mode("ceil"), -2);
  EXPECT_EQ(mode("trunc"), -2);
  Data wide(DType::Int32, {1, 3}, {300, -1, 70000});
  EXPECT_TRUE(same(evaluate("pl.cast(a, pl.UINT8)", {wide}, DType::UInt8, {1, 3}).values(), {44, 255, 112}));
  EXPECT_TRUE(same(evaluate("pl.cast(a, pl.FP16)", {wide}, DType::FP16, {1, 3}).values(), {300, -1, inf}));
}

}  // namespace
}  // namespace tilewire::interp::test
