#include "processes/group_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/regions.h"
#include "support/diagnostics.h"

namespace tilewire::processes {

RegionSet::RegionSet(uint64_t number, std::vector<int32_t> ranks, std::vector<int32_t> homes, uint64_t size)
    : id(number),
      devices(std::move(ranks)),
      processes(std::move(homes)),
      bytes(size),
      mapped_bytes(runtime::RegionPool::rounded(size)),
      regions(devices.size(), nullptr),
      waiters(devices.size(), nullptr) {}

RegionSet::~RegionSet() {
  for (size_t i = 0; i < count_ && published_; ++i) published_->remove(id, static_cast<int32_t>(first_ + i));
  for (uint32_t* waiter : waiters) {
    if (!waiter) continue;
    SharedFile::unmap(reinterpret_cast<std::byte*>(waiter), SharedFile::page_bytes() + mapped_bytes);
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
    std::byte* page = file.map(i * share, share);
    if (!page) {
      problem = std::strerror(errno);
      return false;
    }
    waiters[first + i] = reinterpret_cast<uint32_t*>(page);
    regions[first + i] = page + SharedFile::page_bytes();
  }
  return true;
}

bool RegionSet::reserve(size_t first, size_t count, std::string& problem) {
  if (count == 0) return true;
  // A page between them, so that what goes beyond one faults, too.
  const uint64_t share = mapped_bytes + SharedFile::page_bytes();
  const runtime::ReservedRange& range = reserved_.emplace_back(count * share);
  if (!range.data()) {
    problem = std::strerror(errno);
    return false;
  }
  for (size_t i = 0; i < count; ++i) regions[first + i] = range.data() + i * share;
  return true;
}

void RegionSet::publish(std::shared_ptr<LocalRegions> to) {
  published_ = std::move(to);
  for (size_t i = first_; i < first_ + count_; ++i) {
    published_->add(id, static_cast<int32_t>(i), {regions[i], bytes, waiters[i]});
  }
}

void RegionSet::clear(size_t member) {
  TW_CHECK(member >= first_ && member - first_ < count_, "a region of another process is cleared");
  std::memset(regions[member], 0, bytes);
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
  regions = set_->regions;
  waiters = set_->waiters;
  number = set_->id;
  processes = set_->processes;
}

}  // namespace tilewire::processes
