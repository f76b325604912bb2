// Reads a program from text, compiles it and runs it on the caller's memory.
#include <cmath>
#include <cstdio>
#include <vector>

#include "tilewire/tilewire.h"

constexpr const char* text = R"(
import tilewire.language as pl


@pl.jit.incore
def softplus(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], scale: pl.Scalar[pl.FP32]):
    t = pl.load(x) * scale
    y[...] = pl.log(pl.exp(t) + 1.0)


@pl.jit
def main(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], scale: pl.Scalar[pl.FP32]):
    softplus(x, y, scale)
)";

int main() {
  try {
    tilewire::Executable softplus = tilewire::Program::parse(text, "softplus.py").compile();
    std::vector<float> x(64 * 64), y(64 * 64);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 512.0F - 4.0F;
    softplus({tilewire::Array::of(x.data(), {64, 64}), tilewire::Array::of(y.data(), {64, 64}), 2.0});
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i)
      worst = std::fmax(worst, std::fabs(y[i] - std::log1p(std::exp(2.0 * x[i]))));
    std::printf("largest error %.1e\n", worst);
    return worst < 1e-5 ? 0 : 1;
  } catch (const tilewire::Error& error) {
    std::fprintf(stderr, "%s", error.what());
    return 1;
  }
}
