#include "runtime/clock.h"

#include <time.h>

namespace tilewire::runtime {

uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

}  // namespace tilewire::runtime
