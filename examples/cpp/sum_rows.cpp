// Runs a bundle: tilewire build examples/mesh_allreduce.py -o sum_rows, then sum_rows/ is all it needs.
//
//     sum_rows BUNDLE [NANOSECONDS]
//
// With a time of CLOCK_MONOTONIC it also says how long after that the first result was there.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tilewire/tilewire.h"

int main(int argc, char** argv) {
  constexpr int64_t ranks = 4, width = 256;
  try {
    tilewire::Executable sum_rows = tilewire::Executable::load(argc > 1 ? argv[1] : "sum_rows");
    std::vector<float> x(ranks * width), y(ranks * width);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7);
    tilewire::RunOptions options;
    options.ranks = ranks;
    sum_rows({tilewire::Array::of(x.data(), {ranks, width}), tilewire::Array::of(y.data(), {ranks, width})},
             options);
    if (argc > 2) {
      std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
      std::printf("first result after %.2f ms\n",
                  1e-6 * static_cast<double>(now.count() - std::atoll(argv[2])));
    }
    for (int64_t i = 0; i < ranks * width; ++i) {
      float sum = 0;
      for (int64_t r = 0; r < ranks; ++r) sum += x[r * width + i % width];
      if (y[i] != sum) return 1;
    }
    std::printf("%lld ranks have the sum\n", static_cast<long long>(ranks));
    return 0;
  } catch (const tilewire::Error& error) {
    std::fprintf(stderr, "%s", error.what());
    return 1;
  }
}
