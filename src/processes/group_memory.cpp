#include "processes/group_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/regions.h"
#include "support/diagnostics.h"

namespace tilewire::processes {

RegionSet::RegionSet(uint64_t number, std::vector<int32_t> ranks, uint64_t size)
    : id(number),
      devices(std::move(ranks)),
      bytes(size),
      mapped_bytes(runtime::RegionPool::rounded(size)),
      pages(devices.size(), nullptr) {}

RegionSet::~RegionSet() {
  for (std::byte* page : pages) {
    if (page) SharedFile::unmap(page, SharedFile::page_bytes() + mapped_bytes);
  }
}

bool RegionSet::make(size_t first, size_t count, std::string& problem) {
  first_ = first;
  count_ = count;
  if (count == 0) return true;
  file_ = SharedFile::make(count * (SharedFile::page_bytes() + mapped_bytes), problem);
  return file_.open() && map_all(file_, first, count, problem);
}

bool RegionSet::map(size_t first, size_t count, const SharedFileName& name, std::string& problem) {
  if (count == 0) return true;
  const SharedFile file = SharedFile::of(name, problem);
  return file.open() && map_all(file, first, count, problem);
}

bool RegionSet::map_all(const SharedFile& file, size_t first, size_t count, std::string& problem) {
  const uint64_t share = SharedFile::page_bytes() + mapped_bytes;
  for (size_t i = 0; i < count; ++i) {
    pages[first + i] = file.map(i * share, share);
    if (pages[first + i]) continue;
    problem = std::strerror(errno);
    return false;
  }
  return true;
}

void RegionSet::clear(size_t member) {
  TW_CHECK(member >= first_ && member - first_ < count_, "a region of another process is cleared");
  std::memset(pages[member] + SharedFile::page_bytes(), 0, bytes);
}

void RegionSet::clear_own() {
  for (size_t i = 0; i < count_; ++i) clear(first_ + i);
}

void RegionSets::give(std::unique_ptr<RegionSet> set) {
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(set));
  if (free_.size() > keep_count) free_.pop_front();
}

std::vector<uint64_t> RegionSets::free(const std::vector<int32_t>& devices, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  std::vector<uint64_t> ids;
  for (const auto& set : free_) {
    if (set->devices == devices && set->bytes == bytes) ids.push_back(set->id);
  }
  return ids;
}

std::unique_ptr<RegionSet> RegionSets::take(uint64_t id) {
  std::lock_guard lock(mutex_);
  auto found = std::find_if(free_.begin(), free_.end(), [&](const auto& set) { return set->id == id; });
  TW_CHECK(found != free_.end(), "shared regions that are not free");
  std::unique_ptr<RegionSet> set = std::move(*found);
  free_.erase(found);
  return set;
}

SharedGroupMemory::SharedGroupMemory(std::unique_ptr<RegionSet> set, std::shared_ptr<RegionSets> home)
    : set_(std::move(set)), home_(std::move(home)) {
  mapped_bytes = set_->mapped_bytes;
  for (std::byte* page : set_->pages) {
    waiters.push_back(reinterpret_cast<uint32_t*>(page));
    regions.push_back(page + SharedFile::page_bytes());
  }
}

}  // namespace tilewire::processes
