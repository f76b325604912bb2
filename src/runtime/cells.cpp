#include "runtime/cells.h"

#include <mutex>

namespace tilewire::runtime {

bool holds(int32_t value, uint32_t cmp, int32_t expected) {
  switch (static_cast<abi::Compare>(cmp)) {
    case abi::Compare::Eq:
      return value == expected;
    case abi::Compare::Ge:
      return value >= expected;
    case abi::Compare::Ne:
      return value != expected;
    case abi::Compare::Gt:
      return value > expected;
    case abi::Compare::Lt:
      return value < expected;
    case abi::Compare::Le:
      return value <= expected;
  }
  return false;
}

bool Cells::park(Waiter& waiter, const std::atomic<uint32_t>& abort) {
  Bucket& home = bucket(waiter.cell);
  std::lock_guard lock(home.lock);
  if (waiter.word) __atomic_fetch_add(waiter.word, 1, __ATOMIC_SEQ_CST);
  waiter.seen = cell_value(waiter.cell);
  if (holds(waiter.seen, waiter.cmp, waiter.expected) || abort.load() != 0) {
    if (waiter.word) __atomic_fetch_sub(waiter.word, 1, __ATOMIC_SEQ_CST);
    return false;
  }
  waiter.next = nullptr;
  waiter.previous = home.last;
  (home.last ? home.last->next : home.first) = &waiter;
  home.last = &waiter;
  return true;
}

void Cells::remove(Bucket& bucket, Waiter& waiter) {
  (waiter.previous ? waiter.previous->next : bucket.first) = waiter.next;
  (waiter.next ? waiter.next->previous : bucket.last) = waiter.previous;
  if (waiter.word) __atomic_fetch_sub(waiter.word, 1, __ATOMIC_SEQ_CST);
}

Waiter* Cells::wake(const int32_t* cell) {
  Bucket& home = bucket(cell);
  Waiter* first = nullptr;
  Waiter** end = &first;
  std::lock_guard lock(home.lock);
  for (Waiter* waiter = home.first; waiter;) {
    Waiter* next = waiter->next;
    if (waiter->cell == cell) {
      waiter->seen = cell_value(cell);
      if (holds(waiter->seen, waiter->cmp, waiter->expected)) {
        remove(home, *waiter);
        *end = waiter;
        end = &waiter->next;
      }
    }
    waiter = next;
  }
  *end = nullptr;
  return first;
}

Waiter* Cells::take_all() {
  Waiter* first = nullptr;
  Waiter** end = &first;
  for (Bucket& each : buckets_) {
    std::lock_guard lock(each.lock);
    while (each.first) {
      Waiter& waiter = *each.first;
      remove(each, waiter);
      *end = &waiter;
      end = &waiter.next;
    }
  }
  *end = nullptr;
  return first;
}

std::vector<const Waiter*> Cells::all() {
  std::vector<const Waiter*> result;
  for (Bucket& each : buckets_) {
    std::lock_guard lock(each.lock);
    for (const Waiter* waiter = each.first; waiter; waiter = waiter->next) result.push_back(waiter);
  }
  return result;
}

}  // namespace tilewire::runtime
