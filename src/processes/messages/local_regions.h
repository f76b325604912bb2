// The regions of this process that others may reach by messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/world.h"

namespace tilewire::processes {

// Memory of a group that has the same number in all processes.
class NumberedMemory : public runtime::GroupMemory {
 public:
  uint64_t number = 0;
  std::vector<int32_t> processes;  // by member: where it lives
};

class LocalRegions {
 public:
  struct Region {
    std::byte* base;
    uint64_t bytes;
    const uint32_t* waiters;  // non-zero while somebody is parked on a cell of it
  };

  void add(uint64_t memory, int32_t member, const Region& region) {
    std::lock_guard lock(mutex_);
    regions_[{memory, member}] = region;
  }
  void remove(uint64_t memory, int32_t member) {
    std::lock_guard lock(mutex_);
    regions_.erase({memory, member});
  }
  std::optional<Region> find(uint64_t memory, int32_t member) const {
    std::lock_guard lock(mutex_);
    const auto found = regions_.find({memory, member});
    return found == regions_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<uint64_t, int32_t>, Region> regions_;
};

}  // namespace tilewire::processes
