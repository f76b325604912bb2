// Scalar arithmetic against Python's and NumPy's rules.
#include <limits>

#include "harness.h"

namespace tilewire::interp::test {
namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

// `expression` over a and b of one dtype, for several pairs; read once.
class Binary {
 public:
  Binary(const std::string& expression, const std::string& dtype, const std::string& result) {
    program_ = read(
        "@pl.program\nclass P:\n    @pl.function(type=pl.FunctionType.InCore)\n    def main(self, a: "
        "pl.Scalar[pl." +
        dtype + "], b: pl.Scalar[pl." + dtype + "], y: pl.Out[pl.Tensor[[1], pl." + result +
        "]]):\n        y[0] = " + expression + "\n        return y\n");
    dtype_ = *ir::dtype_from_name(dtype);
    result_ = *ir::dtype_from_name(result);
  }
  double operator()(double a, double b = 0) const {
    Data y(result_, {1});
    auto number = [this](double v) {
      return ir::is_float(dtype_) ? Number::of(dtype_, v) : Number::of(dtype_, static_cast<int64_t>(v));
    };
    Outcome out = run(program_, {number(a), number(b), y.array()});
    EXPECT_EQ(out.error(), "");
    return y.at(0);
  }

 private:
  ir::ProgramRef program_;
  DType dtype_, result_;
};

TEST(Scalar, IntegersWrapAndFloor) {
  Binary add("a + b", "INT32", "INT32"), sub("a - b", "UINT8", "UINT8"), mul("a * b", "INT16", "INT16");
  EXPECT_EQ(add(INT32_MAX, 1), INT32_MIN);
  EXPECT_EQ(sub(1, 2), 255);
  EXPECT_EQ(mul(300, 300), 24464);
  Binary div("a // b", "INT32", "INT32"), mod("a % b", "INT32", "INT32");
  const int64_t pairs[][4] = {{7, 2, 3, 1},
                              {-7, 2, -4, 1},
                              {7, -2, -4, -1},
                              {-7, -2, 3, -1},
                              {6, 3, 2, 0},
                              {-6, 3, -2, 0},
                              {INT32_MIN, -1, INT32_MIN, 0}};
  for (const auto& p : pairs) {
    EXPECT_EQ(div(static_cast<double>(p[0]), static_cast<double>(p[1])), p[2]) << p[0] << " " << p[1];
    EXPECT_EQ(mod(static_cast<double>(p[0]), static_cast<double>(p[1])), p[3]) << p[0] << " " << p[1];
  }
  Binary power("a ** b", "INT64", "INT64"), left("a << b", "INT8", "INT8"), right("a >> b", "INT8", "INT8");
  EXPECT_EQ(power(-3, 3), -27);
  EXPECT_EQ(power(2, 64), 0);
  EXPECT_EQ(left(3, 6), -64);
  EXPECT_EQ(left(1, 8), 0);
  EXPECT_EQ(right(-128, 9), -1);
  EXPECT_EQ(Binary("a & b | 16 ^ 1", "INT32", "INT32")(12, 10), (12 & 10) | (16 ^ 1));
  EXPECT_EQ(Binary("~a", "INT32", "INT32")(5), -6);
  EXPECT_EQ(Binary("abs(a) + -b", "INT32", "INT32")(-5, 2), 3);
  EXPECT_EQ(Binary("min(a, b) * 100 + max(a, b)", "INT32", "INT32")(5, -2), -195);
}

TEST(Scalar, FloatsRoundToTheirDtype) {
  EXPECT_EQ(Binary("a + b", "FP32", "FP32")(16777216, 1), 16777216);
  EXPECT_EQ(Binary("a + b", "FP16", "FP16")(2048, 1), 2048);
  EXPECT_EQ(Binary("a / b", "FP32", "FP32")(1, 3), 1.0f / 3.0f);
  EXPECT_EQ(Binary("a / b", "FP32", "FP32")(1, 0), inf);
  Binary div("a // b", "FP32", "FP32"), mod("a % b", "FP32", "FP32");
  EXPECT_EQ(div(-7, 2), -4);
  EXPECT_EQ(mod(-7, 2), 1);
  EXPECT_EQ(mod(7, -2), -1);
  EXPECT_EQ(div(7.5, 2), 3);
  EXPECT_EQ(div(1, 0), inf);
  EXPECT_TRUE(std::isnan(mod(1, 0)));
  EXPECT_EQ(Binary("a ** b", "FP32", "FP32")(2, -2), 0.25);
  EXPECT_TRUE(std::isnan(Binary("max(a, b)", "FP32", "FP32")(1, nan)));
}

TEST(Scalar, ComparisonsAndLogic) {
  Binary all(
      "pl.cast(a < b, pl.INT32) + 2 * pl.cast(a <= b, pl.INT32) + 4 * pl.cast(a == b, pl.INT32) + 8 * "
      "pl.cast(a != b, pl.INT32) + 16 * pl.cast(a > b, pl.INT32) + 32 * pl.cast(a >= b, pl.INT32)",
      "FP32", "INT32");
  EXPECT_EQ(all(1, 2), 1 + 2 + 8);
  EXPECT_EQ(all(2, 2), 2 + 4 + 32);
  EXPECT_EQ(all(3, 2), 8 + 16 + 32);
  EXPECT_EQ(all(nan, 2), 8);
  Binary logic("pl.cast((a > 0 and b > 0) or not (a < 5), pl.INT32)", "INT32", "INT32");
  EXPECT_EQ(logic(1, 1), 1);
  EXPECT_EQ(logic(1, 0), 0);
  EXPECT_EQ(logic(9, 0), 1);
  EXPECT_EQ(Binary("pl.cast(a > b, pl.INT32)", "UINT64", "INT32")(-1, 1), 1);  // the largest UINT64
}

TEST(Scalar, Casts) {
  EXPECT_EQ(Binary("pl.cast(a, pl.INT8)", "FP32", "INT8")(300), 127);
  EXPECT_EQ(Binary("pl.cast(a, pl.INT8)", "FP32", "INT8")(2.5), 2);
  EXPECT_EQ(Binary("pl.cast(a, pl.INT8)", "FP32", "INT8")(nan), 0);
  EXPECT_EQ(Binary("pl.cast(a, pl.FP16)", "INT32", "FP16")(2049), 2048);
  EXPECT_EQ(Binary("pl.cast(pl.cast(a, pl.BOOL), pl.INT32)", "FP32", "INT32")(0.25), 1);
}

}  // namespace
}  // namespace tilewire::interp::test
