// Where threads run. Peers written by hand get cores of their own: systems that like to put threads together
// would leave two of them on one core, and the runtime keeps its workers apart, too.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "timing.h"

namespace bench {

// Keeps the calling thread on one of the cores it may use.
class Pinned {
 public:
  explicit Pinned(int which) {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &before_) && which-- == 0) CPU_SET(cpu, &one);
    }
    if (CPU_COUNT(&one)) sched_setaffinity(0, sizeof one, &one);
  }
  ~Pinned() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

// What threads signal each other by; no two on one cache line, nor on a pair of lines that is fetched as one.
struct alignas(128) Cell {
  std::atomic<int64_t> value{0};
};

// One way of a signal between two threads in plain C++: the cell is stored or exchanged. On cores of their
// own: on one they would take turns a time slice long.
inline double raw_signal(bool exchanges, int64_t rounds) {
  Cell cells[2];
  auto send = [exchanges](Cell& cell, int64_t value) {
    if (exchanges) {
      cell.value.exchange(value);
    } else {
      cell.value.store(value, std::memory_order_release);
    }
  };
  auto side = [&](int me) {
    for (int64_t i = 1; i <= rounds; ++i) {
      if (me == 0) send(cells[1], i);
      while (cells[me].value.load(std::memory_order_acquire) < i) {
      }
      if (me == 1) send(cells[0], i);
    }
  };
  std::thread other([&] {
    Pinned pinned(1);
    side(1);
  });
  Pinned pinned(0);
  double time = seconds([&] { side(0); });
  other.join();
  return time / static_cast<double>(2 * rounds);
}

}  // namespace bench
