// A map from addresses to small values for walks over large programs.
//
// Open addressing in one array; `clear` is one increment, so a walk can start afresh at every function
// without paying for the largest one it has seen. Addresses are not owned: the caller keeps the
// objects alive while it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace tilewire::ir {

template <class Value>
class PointerMap {
 public:
  // Null when the address is not in the map; good until the next insertion.
  Value* find(const void* key) {
    if (size_ == 0) return nullptr;
    Slot& slot = slots_[locate(key)];
    return slot.generation == generation_ ? &slot.value : nullptr;
  }
  const Value* find(const void* key) const { return const_cast<PointerMap*>(this)->find(key); }

  // The value of `key` and whether it is new, in which case it is `value`.
  std::pair<Value*, bool> insert(const void* key, Value value) {
    if ((size_ + 1) * 2 > capacity_) grow();
    Slot& slot = slots_[locate(key)];
    if (slot.generation == generation_) return {&slot.value, false};
    slot = Slot{key, std::move(value), generation_};
    ++size_;
    return {&slot.value, true};
  }

  void clear() {
    size_ = 0;
    if (++generation_ != 0) return;
    slots_.reset();  // the counter wrapped: stamps of four billion clears ago would look current
    capacity_ = 0;
    generation_ = 1;
  }

  size_t size() const { return size_; }

 private:
  struct Slot {
    const void* key = nullptr;
    Value value{};
    uint32_t generation = 0;
  };

  size_t locate(const void* key) const {
    // Nodes made one after the other lie close together, and so do their slots: the low bits are dropped
    // because they never differ, the high ones because they seldom do.
    uint64_t address = reinterpret_cast<uintptr_t>(key);
    size_t index = ((address >> 5) ^ (address >> 23)) & (capacity_ - 1);
    // A few neighbours first; then far away, each key its own way, or runs of close keys would grow together.
    const size_t jump = ((address * 0x9E3779B97F4A7C15u) >> 32) | 1;
    for (int tries = 0; slots_[index].generation == generation_ && slots_[index].key != key; ++tries) {
      index = (index + (tries < 4 ? 1 : jump)) & (capacity_ - 1);
    }
    return index;
  }

  void grow() {
    size_t old_capacity = capacity_;
    auto old = std::move(slots_);
    capacity_ = old_capacity == 0 ? 64 : old_capacity * 2;
    slots_ = std::make_unique<Slot[]>(capacity_);
    for (size_t i = 0; i < old_capacity; ++i) {
      if (old[i].generation == generation_) slots_[locate(old[i].key)] = std::move(old[i]);
    }
  }

  std::unique_ptr<Slot[]> slots_;
  size_t capacity_ = 0;  // a power of two, or 0
  size_t size_ = 0;
  uint32_t generation_ = 1;
};

}  // namespace tilewire::ir
