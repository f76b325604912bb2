// Writes to peers that a task has made and that have not landed yet.
//
// A put may land at any moment until its task's next notify or end. Runs with a random schedule use
// that: the writing block keeps a copy of the source and lands it as late as possible.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "abi/abi.h"
#include "runtime/transfer.h"

namespace tilewire::runtime {

// Addresses of a region.
struct Bytes {
  uint64_t lo, hi;
  bool meets(const Bytes& other) const { return lo < other.hi && other.lo < hi; }
};

class LateWrites {
 public:
  bool empty() const { return writes_.empty(); }
  // Reads the source now. Earlier writes to any of its bytes, or the target's, land first.
  void add(const Copy& region, uint32_t bits, uint8_t dtype);
  // Lands what overlaps these addresses: the task is about to access them.
  void land(const Bytes& touched);
  void land_all();
  void land_first();

 private:
  struct Write {
    std::byte* target;
    std::vector<int64_t> extents, target_strides, source_strides;
    std::vector<std::byte> bytes;
    uint32_t element_bytes;
    uint32_t bits;
    uint8_t dtype;
    Bytes span;

    void land() const;
  };

  std::vector<Write> writes_;  // none overlaps another
};

// Notifies that a block has made and that have not landed yet, with a random schedule. They land in their
// order, before the block waits or ends and before it looks at one of their cells.
class LateNotifies {
 public:
  struct Notify {
    int32_t* cell;
    int32_t value;
    abi::NotifyKind kind;
  };
  bool empty() const { return notifies_.empty(); }
  bool has(const int32_t* cell) const {
    return std::any_of(notifies_.begin(), notifies_.end(), [&](const Notify& n) { return n.cell == cell; });
  }
  void add(int32_t* cell, int32_t value, abi::NotifyKind kind) { notifies_.push_back({cell, value, kind}); }
  Notify take_first() {
    Notify first = notifies_.front();
    notifies_.erase(notifies_.begin());
    return first;
  }

 private:
  std::vector<Notify> notifies_;
};

Bytes span_of(const void* start, const int64_t* extents, const int64_t* strides, uint32_t rank,
              uint32_t element_bytes);

}  // namespace tilewire::runtime
