// Fibers and deferred tasks that are parked on signal cells.
//
// A fiber or deferred task that waits raises the waiter word of the cell's region, looks at the cell once
// more and sleeps. A writer of a cell loads the waiter word afterwards and calls `wake` if it is not zero.
// Both steps are sequentially consistent, so either the waiter sees the value or the writer sees the waiter.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/job.h"
#include "runtime/ready_queue.h"

namespace tilewire::runtime {

// `cmp`: an abi::Compare.
inline bool holds(int32_t value, uint32_t cmp, int32_t expected) {
  return abi::holds(static_cast<abi::Compare>(cmp), value, expected);
}
inline int32_t cell_value(const int32_t* cell) {
  return __atomic_load_n(cell, __ATOMIC_SEQ_CST);
}

// The same of an INT64 where `wide`.
inline int64_t element_value(const void* element, bool wide) {
  return wide ? __atomic_load_n(static_cast<const int64_t*>(element), __ATOMIC_SEQ_CST)
              : cell_value(static_cast<const int32_t*>(element));
}

inline void write_cell(int32_t* cell, int32_t value, abi::NotifyKind kind) {
  if (kind == abi::NotifyKind::Set) {
    __atomic_exchange_n(cell, value, __ATOMIC_SEQ_CST);
  } else {
    __atomic_fetch_add(cell, value, __ATOMIC_SEQ_CST);
  }
}
// An atomic update; returns the old value. `bits`: abi::UpdateBits.
template <class T>
inline T update_as(T* element, T expected, T value, bool compares) {
  if (!compares) return __atomic_fetch_add(element, value, __ATOMIC_SEQ_CST);
  T seen = expected;
  __atomic_compare_exchange_n(element, &seen, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return seen;
}
inline int64_t update_element(void* element, int64_t expected, int64_t value, uint32_t bits) {
  const bool compares = (bits & abi::Compares) != 0;
  if (bits & abi::Wide) return update_as(static_cast<int64_t*>(element), expected, value, compares);
  return update_as(static_cast<int32_t*>(element), static_cast<int32_t>(expected),
                   static_cast<int32_t>(value), compares);
}
inline bool any_holds(std::span<const Look> looks) {
  for (const Look& look : looks) {
    if (holds(cell_value(look.cell), look.cmp, look.value)) return true;
  }
  return false;
}

class Cells {
 public:
  // Before the first fiber parks. Where cells are written elsewhere, all parked fibers are checked each time
  // the bell has rung, and fewer buckets are faster.
  void written_elsewhere(bool shared) { buckets_in_use_ = shared ? shared_bucket_count : bucket_count; }

  // Adds the waiter of a fiber that has left its stack, or of a deferred task. Returns false if the condition
  // holds or the run was aborted meanwhile, so it can continue at once.
  bool park(Waiter& waiter, const std::atomic<uint32_t>& abort);

  // Removes those parked on `cell` whose condition holds now: a list through Waiter::next, in order of
  // their arrival.
  Waiter* wake(const int32_t* cell);
  // The same for all cells: some of them were written elsewhere.
  Waiter* scan();
  Waiter* take_all();

  // In undefined order; for reports, while nothing runs.
  std::vector<const Waiter*> all();

 private:
  struct Bucket {
    SpinLock lock;
    std::atomic<Waiter*> first{nullptr};
    Waiter* last = nullptr;

    // Not while a fiber is about to park: after raising the waiter word it holds the lock until it is in the
    // list.
    bool empty() const { return !lock.held() && !first.load(std::memory_order_relaxed); }
  };
  static constexpr size_t bucket_count = 256, shared_bucket_count = 16;  // powers of 2

  Bucket& bucket(const int32_t* cell) {
    auto address = reinterpret_cast<uintptr_t>(cell);
    return buckets_[(address >> 2 ^ address >> 10) & (buckets_in_use_ - 1)];
  }
  // The list a waiter is parked in.
  Bucket& home_of(const Waiter& waiter) {
    return waiter.waits_for_any() ? buckets_[bucket_count] : bucket(waiter.cell);
  }
  void raise(const Waiter& waiter);
  void lower(const Waiter& waiter);
  static bool met(Waiter& waiter);
  void remove(Bucket& bucket, Waiter& waiter);
  // Removes those of a bucket that a change of `cell` (null: of any) unblocks, and appends them to the list
  // that ends here.
  Waiter** take(Bucket& bucket, const int32_t* cell, Waiter** end);

  size_t buckets_in_use_ = bucket_count;
  std::array<Bucket, bucket_count + 1> buckets_;  // the last: those that wait for any of several cells
  std::atomic<uint32_t> any_count_{0};            // in the last
  std::atomic<uint32_t> count_{0};                // of all: writers of a cell check it like a waiter word
};

}  // namespace tilewire::runtime
