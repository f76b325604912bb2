// The wait object of the caller's worker of a run: rung when there is something for it.
#pragma once

#include <atomic>
#include <cstdint>

namespace tilewire::runtime {

// In a world of several processes it lies in shared memory, so that others can ring it, too.
class Bell {
 public:
  enum class Within : uint8_t { Process, Host };
  explicit Bell(Within within = Within::Process) : within_(within) {}

  // The sleeper wakes, or does not go to sleep if it read `rings` before. Also from a signal handler.
  void ring();
  uint32_t rings() const { return rings_.load(); }

  // The sleeper announces itself, looks once more for something to do, and sleeps unless the bell has rung
  // since it read `rings`. Sequentially consistent with other threads: they make work, then check for
  // sleepers.
  void announce() { asleep_.store(true); }
  void sleep(uint32_t rings);
  void stay_awake() { asleep_.store(false); }
  bool has_sleeper() const { return asleep_.load(); }

 private:
  std::atomic<uint32_t> rings_{0};
  std::atomic<bool> asleep_{false};
  const Within within_;
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));
};

}  // namespace tilewire::runtime
