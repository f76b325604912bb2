#include "runtime/cells.h"

#include <mutex>

namespace tilewire::runtime {

void Cells::raise(const Waiter& waiter) {
  count_.fetch_add(1);
  if (!waiter.waits_for_any()) {
    if (waiter.word) __atomic_fetch_add(waiter.word, 1, __ATOMIC_SEQ_CST);
    return;
  }
  any_count_.fetch_add(1);  // before the words: a thread that sees one of them raised looks there, too
  for (const Look& look : waiter.looks) {
    if (look.word) __atomic_fetch_add(look.word, 1, __ATOMIC_SEQ_CST);
  }
}

void Cells::lower(const Waiter& waiter) {
  count_.fetch_sub(1);
  if (!waiter.waits_for_any()) {
    if (waiter.word) __atomic_fetch_sub(waiter.word, 1, __ATOMIC_SEQ_CST);
    return;
  }
  for (const Look& look : waiter.looks) {
    if (look.word) __atomic_fetch_sub(look.word, 1, __ATOMIC_SEQ_CST);
  }
  any_count_.fetch_sub(1);
}

bool Cells::met(Waiter& waiter) {
  if (waiter.waits_for_any()) return any_holds(waiter.looks);
  waiter.seen = cell_value(waiter.cell);
  return holds(waiter.seen, waiter.cmp, waiter.expected);
}

bool Cells::park(Waiter& waiter, const std::atomic<uint32_t>& abort) {
  Bucket& home = home_of(waiter);
  std::lock_guard lock(home.lock);
  raise(waiter);
  if (met(waiter) || abort.load() != 0) {
    lower(waiter);
    return false;
  }
  waiter.next = nullptr;
  waiter.previous = home.last;
  if (home.last) {
    home.last->next = &waiter;
  } else {
    home.first.store(&waiter, std::memory_order_relaxed);
  }
  home.last = &waiter;
  return true;
}

void Cells::remove(Bucket& bucket, Waiter& waiter) {
  if (waiter.previous) {
    waiter.previous->next = waiter.next;
  } else {
    bucket.first.store(waiter.next, std::memory_order_relaxed);
  }
  (waiter.next ? waiter.next->previous : bucket.last) = waiter.previous;
  lower(waiter);
}

Waiter** Cells::take(Bucket& bucket, const int32_t* cell, Waiter** end) {
  std::lock_guard lock(bucket.lock);
  for (Waiter* waiter = bucket.first; waiter;) {
    Waiter* next = waiter->next;
    if ((!cell || waiter->waits_for_any() || waiter->cell == cell) && met(*waiter)) {
      remove(bucket, *waiter);
      *end = waiter;
      end = &waiter->next;
    }
    waiter = next;
  }
  return end;
}

Waiter* Cells::wake(const int32_t* cell) {
  if (count_.load() == 0) return nullptr;
  Waiter* first = nullptr;
  Waiter** end = take(bucket(cell), cell, &first);
  if (any_count_.load() != 0) end = take(buckets_[bucket_count], cell, end);
  *end = nullptr;
  return first;
}

Waiter* Cells::scan() {
  Waiter* first = nullptr;
  Waiter** end = &first;
  for (size_t i = 0; i < buckets_in_use_; ++i) {
    if (!buckets_[i].empty()) end = take(buckets_[i], nullptr, end);
  }
  if (any_count_.load() != 0) end = take(buckets_[bucket_count], nullptr, end);
  *end = nullptr;
  return first;
}

Waiter* Cells::take_all() {
  Waiter* first = nullptr;
  Waiter** end = &first;
  for (Bucket& each : buckets_) {
    std::lock_guard lock(each.lock);
    while (Waiter* oldest = each.first.load(std::memory_order_relaxed)) {
      Waiter& waiter = *oldest;
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
