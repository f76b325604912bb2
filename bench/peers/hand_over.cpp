// What handing tiles from one thread to another costs at least, for bench/pipes.py: g++ -O3 -march=native
// -pthread.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Threads that a system puts on one core measure that system.
void stay_on(size_t which) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || which-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    return;
  }
}

struct alignas(64) Cell {
  std::atomic<int32_t> value{0};
};

}  // namespace

// Seconds to copy `bytes` twice, from a tile to a slot and from there to another tile, the tiles in turn as a
// kernel goes through them.
extern "C" double peer_copy_twice(size_t bytes, size_t tiles, size_t slots) {
  std::vector<char> from(bytes * tiles, 1), to(bytes * tiles), ring(bytes * slots);
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const double start = seconds();
    for (size_t i = 0; i < tiles; ++i) {
      char* slot = ring.data() + i % slots * bytes;
      std::memcpy(slot, from.data() + i * bytes, bytes);
      std::memcpy(to.data() + i * bytes, slot, bytes);
    }
    const double took = (seconds() - start) / static_cast<double>(tiles);
    if (took < best) best = took;
  }
  return best;
}

// Seconds from a notify on one core to the wait that sees it on another: half of a round trip.
extern "C" double peer_signal() {
  Cell there, back;
  constexpr int rounds = 20'000;
  std::thread other([&] {
    stay_on(1);
    for (int i = 1; i <= rounds; ++i) {
      while (there.value.load(std::memory_order_acquire) < i) {
      }
      back.value.fetch_add(1);
    }
  });
  double start = 0;
  std::thread one([&] {
    stay_on(0);
    for (int i = 1; i <= rounds; ++i) {
      if (i == rounds / 10) start = seconds();
      there.value.fetch_add(1);
      while (back.value.load(std::memory_order_acquire) < i) {
      }
    }
    start = seconds() - start;
  });
  one.join();
  other.join();
  return start / (2 * (rounds - rounds / 10));
}
