// The floor under sums over two ranks: the rounds of bench/collectives/rounds.py by hand, two threads on
// cores of their own, operands in huge pages. Each adds up half of the array where both operands lie.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>

#include "cores.h"
#include "timing.h"

namespace bench {

class TwoShotByHand {
 public:
  explicit TwoShotByHand(int64_t elements)
      : elements_(elements), windows_{Pages(elements * 4, true), Pages(elements * 4, true)} {}

  void run(int rounds) {
    for (Cell& cell : cells_) cell.value = 0;
    std::thread other([&] { side(1, rounds); });
    side(0, rounds);
    other.join();
  }

 private:
  void meet(int me, int64_t count) {
    cells_[me].value.store(count, std::memory_order_release);
    while (cells_[1 - me].value.load(std::memory_order_acquire) < count) {
    }
  }

  void side(int me, int rounds) {
    Pinned pinned(me);
    float *own = windows_[me].floats(), *peers = windows_[1 - me].floats(), seen = 0;
    int64_t tile = std::min<int64_t>(elements_, 2048), half = elements_ / 2;
    int64_t first = me == 0 ? 0 : half, last = me == 0 ? half : elements_;
    for (int i = 0; i < rounds; ++i) {
      std::fill_n(own, elements_, static_cast<float>(i % 8 + me));
      meet(me, 2 * i + 1);
      for (int64_t k = first; k < last; ++k) own[k] = peers[k] = own[k] + peers[k];
      meet(me, 2 * i + 2);
      for (int64_t at = 0; at < elements_; at += tile) seen += average(own + at, tile);
      asm volatile("" ::"m"(seen));
    }
  }

  int64_t elements_;
  Pages windows_[2];
  Cell cells_[2];
};

}  // namespace bench
