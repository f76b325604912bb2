// Memory of window regions: zeroed pages followed by a guard page, kept from one set of windows to the
// next, because mapping and unmapping costs more than a small run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace tilewire::runtime {

class RegionPool {
 public:
  RegionPool() = default;
  RegionPool(const RegionPool&) = delete;
  ~RegionPool();

  // What can be had for `bytes`: whole pages, at least one.
  static uint64_t rounded(uint64_t bytes);
  // `bytes` zeros, whole pages; null when there is no memory.
  std::byte* take(uint64_t bytes);
  // The first `dirty` bytes may be other than zero.
  void give(std::byte* region, uint64_t bytes, uint64_t dirty);

  // Makes the first `dirty` bytes zero again.
  static void clear(std::byte* region, uint64_t bytes, uint64_t dirty);

  // Regions kept at most.
  static constexpr size_t keep_count = 4096;

 private:
  static void unmap(std::byte* region, uint64_t bytes);

  std::mutex mutex_;
  std::map<uint64_t, std::vector<std::byte*>> free_;  // by size
  size_t kept_ = 0;
};

// Memory of this machine. The system may promise more and kill the process later.
uint64_t physical_bytes();

}  // namespace tilewire::runtime
