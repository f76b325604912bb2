// What a call from C++ costs: the rows of bench/calls.py in that language, best of many samples.
//
//     build/release/bench/calls [ROUNDS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "tilewire/tilewire.h"
#include "timing.h"

namespace {

constexpr char one_task[] = R"(import tilewire.language as pl

@pl.jit.incore
def copy_row(x: pl.Tensor[[1, 16], pl.FP32], y: pl.Out[pl.Tensor[[1, 16], pl.FP32]]):
    y[...] = pl.load(x)

@pl.jit
def main(x: pl.Tensor[[1, 16], pl.FP32], y: pl.Out[pl.Tensor[[1, 16], pl.FP32]]):
    copy_row(x, y)
)";

constexpr int calls = 200;

double best_of(int rounds, const std::function<void()>& call) {
  double least = 1;
  for (int i = 0; i < rounds; ++i) {
    call();
    double time = bench::seconds([&] {
      for (int k = 0; k < calls; ++k) call();
    });
    least = std::min(least, time / calls);
  }
  return least;
}

void show(const char* name, double ours, double theirs, const char* goal) {
  std::printf("%-44s %8.2f us %8.2f us %6.2f  %s\n", name, ours * 1e6, theirs * 1e6, theirs / ours, goal);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1000;
  using tilewire::Array;
  std::printf("%-44s %11s %11s %6s  goal\n", "call from C++", "ours", "plain loop", "ratio");

  std::vector<float> x(16, 1), y(16);
  auto copy = tilewire::Program::parse(one_task, "one_task.py").compile({.entry = "main"});
  std::vector<tilewire::Argument> row = {Array::of(x.data(), {1, 16}), Array::of(y.data(), {1, 16})};
  double ours = best_of(rounds, [&] { copy(row); });
  double theirs = best_of(rounds, [&] {
    for (size_t i = 0; i < x.size(); ++i) *const_cast<volatile float*>(&y[i]) = x[i];
  });
  show("one task", ours, theirs, "0.5 us");

  auto run = tilewire::Program::load(TILEWIRE_SOURCE_DIR "/examples/elementwise.py")
                 .compile({.entry = "multiply_add"});
  const int64_t n = 4096;
  std::vector<float> a(n, 2), b(n, 3), c(n, 4), out(n);
  std::vector<tilewire::Argument> arrays = {Array::of(a.data(), {n}), Array::of(b.data(), {n}),
                                            Array::of(c.data(), {n}), Array::of(out.data(), {n})};
  ours = best_of(rounds, [&] { run(arrays); });
  theirs = best_of(rounds, [&] {
    for (int64_t i = 0; i < n; ++i) out[i] = a[i] * b[i] + c[i];
    asm volatile("" : : "r"(out.data()) : "memory");
  });
  show("a*b+c, arrays of 16 KB", ours, theirs, "");
  return 0;
}
