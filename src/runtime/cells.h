// Who is parked on signal cells.
//
// A fiber or deferred task that waits raises the waiter word of the cell's region, looks at the cell once
// more and sleeps. Who writes a cell loads the waiter word afterwards and calls `wake` when it is not zero.
// Both steps are sequentially consistent, so either the waiter sees the value or the writer sees the waiter.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/job.h"
#include "runtime/ready_queue.h"

namespace tilewire::runtime {

// abi cmp numbers; the comparison of a cell's value with the expected one.
bool holds(int32_t value, uint32_t cmp, int32_t expected);
inline int32_t cell_value(const int32_t* cell) {
  return __atomic_load_n(cell, __ATOMIC_SEQ_CST);
}

class Cells {
 public:
  // Adds the waiter of a fiber that has left its stack, or of a deferred task. False: the condition holds or
  // the run was aborted meanwhile, and it can go on at once.
  bool park(Waiter& waiter, const std::atomic<uint32_t>& abort);

  // Takes out those parked on `cell` whose condition holds now: a list through Waiter::next, in order of
  // their arrival.
  Waiter* wake(const int32_t* cell);
  Waiter* take_all();

  // Whose order is not defined; for reports, while nothing runs.
  std::vector<const Waiter*> all();

 private:
  struct Bucket {
    SpinLock lock;
    Waiter* first = nullptr;
    Waiter* last = nullptr;
  };
  static constexpr size_t bucket_count = 256;

  Bucket& bucket(const int32_t* cell) {
    auto address = reinterpret_cast<uintptr_t>(cell);
    return buckets_[(address >> 2 ^ address >> 10) % bucket_count];
  }
  static void remove(Bucket& bucket, Waiter& waiter);

  std::array<Bucket, bucket_count> buckets_;
};

}  // namespace tilewire::runtime
