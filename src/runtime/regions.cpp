#include "runtime/regions.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace tilewire::runtime {
namespace {

// Fresh pages are zero, but up to here clearing is cheaper than faulting them in again.
constexpr uint64_t cleared_at_most = uint64_t{2} << 20;
// From here on they are worth huge pages: small ones lie anywhere in memory, so that a window as large as the
// second-level cache does not fit it.
constexpr uint64_t huge_from = uint64_t{1} << 20;
constexpr uint64_t huge_page = uint64_t{2} << 20;

uint64_t page_bytes() {
  static const uint64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

// Mapped in front of a region: one smaller than a huge page ends where that page does, because its guard page
// cannot lie inside.
uint64_t lead_of(uint64_t bytes) {
  return bytes >= huge_from && bytes < huge_page ? huge_page - bytes : 0;
}

// `bytes` starting at a multiple of a huge page; null if there is no memory.
std::byte* map_aligned(uint64_t bytes) {
  void* memory = mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* start = static_cast<std::byte*>(memory);
  uint64_t head = -reinterpret_cast<uintptr_t>(start) % huge_page;
  if (head > 0) munmap(start, head);
  munmap(start + head + bytes, huge_page - head);
  return start + head;
}

}  // namespace

uint64_t physical_bytes() {
  static const uint64_t bytes = uint64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return bytes;
}

uint64_t RegionPool::rounded(uint64_t bytes) {
  return (std::max<uint64_t>(bytes, 1) + page_bytes() - 1) / page_bytes() * page_bytes();
}

std::byte* RegionPool::take(uint64_t bytes) {
  {
    std::lock_guard lock(mutex_);
    auto found = free_.find(bytes);
    if (found != free_.end() && !found->second.empty()) {
      std::byte* region = found->second.back();
      found->second.pop_back();
      --kept_;
      return region;
    }
  }
  bool huge = bytes >= huge_from;
  uint64_t lead = lead_of(bytes), all = lead + bytes + page_bytes();
  void* memory = huge ? map_aligned(all)
                      : mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!memory || memory == MAP_FAILED) return nullptr;
  std::byte* region = static_cast<std::byte*>(memory) + lead;
  if (mprotect(region + bytes, page_bytes(), PROT_NONE) != 0) {
    unmap(region, bytes);
    return nullptr;
  }
  if (huge) madvise(memory, lead + bytes, MADV_HUGEPAGE);
  return region;
}

void RegionPool::give(std::byte* region, uint64_t bytes, uint64_t dirty) {
  clear(region, bytes, dirty);
  {
    std::lock_guard lock(mutex_);
    if (kept_ < keep_count) {
      free_[bytes].push_back(region);
      ++kept_;
      return;
    }
  }
  unmap(region, bytes);
}

void RegionPool::clear(std::byte* region, uint64_t bytes, uint64_t dirty) {
  if (dirty > cleared_at_most && madvise(region, bytes, MADV_DONTNEED) == 0) return;
  if (dirty > 0) std::memset(region, 0, dirty);
}

void RegionPool::unmap(std::byte* region, uint64_t bytes) {
  uint64_t lead = lead_of(bytes);
  munmap(region - lead, lead + bytes + page_bytes());
}

RegionPool::~RegionPool() {
  for (const auto& [bytes, list] : free_) {
    for (std::byte* region : list) unmap(region, bytes);
  }
}

}  // namespace tilewire::runtime
