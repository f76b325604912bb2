// What is ready to run, in order of arrival: one queue per worker, from which idle workers take too.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilewire::runtime {

struct Task;
class Job;

// Held for a few instructions only.
class SpinLock {
 public:
  void lock() {
    for (int tries = 0; held_.exchange(true, std::memory_order_acquire); ++tries) {
      while (held_.load(std::memory_order_relaxed)) {
        if (++tries > 200) sched_yield();  // the holder lost its core
        pause();
      }
    }
  }
  void unlock() { held_.store(false, std::memory_order_release); }
  // Waits a moment; the writes of the last holder are visible when the lock is free.
  bool held() const { return held_.load(std::memory_order_acquire); }

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

 private:
  std::atomic<bool> held_{false};
};

// A task to start or a fiber to continue.
class Item {
 public:
  Item() = default;
  explicit Item(Task* task) : bits_(reinterpret_cast<uintptr_t>(task)) {}
  explicit Item(Job* job) : bits_(reinterpret_cast<uintptr_t>(job) | 1) {}
  explicit operator bool() const { return bits_ != 0; }
  Task* task() const { return bits_ & 1 ? nullptr : reinterpret_cast<Task*>(bits_); }
  Job* job() const { return bits_ & 1 ? reinterpret_cast<Job*>(bits_ & ~uintptr_t{1}) : nullptr; }

 private:
  uintptr_t bits_ = 0;
};

class ReadyQueue {
 public:
  // Returns the number of items now in the queue.
  size_t push(Item item) {
    lock_.lock();
    size_t size = size_.load(std::memory_order_relaxed);
    if (size == ring_.size()) grow();
    ring_[(first_ + size) & (ring_.size() - 1)] = item;
    // Ordered with the pusher's check for sleepers: see Run::idle.
    size_.store(size + 1, std::memory_order_seq_cst);
    lock_.unlock();
    return size + 1;
  }

  Item pop() {
    if (size() == 0) return {};
    lock_.lock();
    Item item;
    size_t size = size_.load(std::memory_order_relaxed);
    if (size != 0) {
      item = ring_[first_];
      first_ = (first_ + 1) & (ring_.size() - 1);
      size_.store(size - 1, std::memory_order_relaxed);
    }
    lock_.unlock();
    return item;
  }

  // Like `pop`, but choose(n, at) chooses one of n items; at(i) is the i-th.
  template <class Choose>
  Item take(Choose choose) {
    if (size() == 0) return {};
    lock_.lock();
    Item item;
    size_t size = size_.load(std::memory_order_relaxed);
    if (size != 0) {
      auto at = [this](size_t i) -> Item& { return ring_[(first_ + i) & (ring_.size() - 1)]; };
      std::swap(at(0), at(choose(size, at)));
      item = at(0);
      first_ = (first_ + 1) & (ring_.size() - 1);
      size_.store(size - 1, std::memory_order_relaxed);
    }
    lock_.unlock();
    return item;
  }

  size_t size() const { return size_.load(std::memory_order_seq_cst); }

 private:
  void grow() {
    std::vector<Item> larger(ring_.size() * 2);
    for (size_t i = 0; i < ring_.size(); ++i) larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
    ring_.swap(larger);
    first_ = 0;
  }

  SpinLock lock_;
  std::atomic<size_t> size_{0};
  size_t first_ = 0;
  std::vector<Item> ring_ = std::vector<Item>(256);  // a power of two
};

}  // namespace tilewire::runtime
