// Regions of communication groups in memory that all processes of a host map, kept for the next group of the
// same kind, because making and mapping them costs more than a small call. Those of other hosts have
// addresses, but no memory.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "processes/messages/local_regions.h"
#include "processes/shared_file.h"
#include "runtime/reserved_range.h"
#include "runtime/world.h"

namespace tilewire::processes {

// All regions of one group. Each that is mapped has a page in front of it, with its waiter word.
class RegionSet {
 public:
  // `processes`: by member, where it lives.
  RegionSet(uint64_t id, std::vector<int32_t> devices, std::vector<int32_t> processes, uint64_t bytes);
  ~RegionSet();
  RegionSet(const RegionSet&) = delete;

  // Those of ranks that live here are the members [first, first + count); the others follow, process by
  // process, from `first` on. False after telling in `problem` what went wrong.
  bool make(size_t first, size_t count, std::string& problem);
  bool map(size_t first, size_t count, const SharedFileName& name, std::string& problem);
  // Those of ranks that only messages reach.
  bool reserve(size_t first, size_t count, std::string& problem);
  // Lets messages of others reach those that live here, until this is gone.
  void publish(std::shared_ptr<LocalRegions> regions);
  const SharedFileName& name() const { return file_.name(); }

  void clear(size_t member);
  void clear_own();

  const uint64_t id;  // the same in all processes
  const std::vector<int32_t> devices;
  const std::vector<int32_t> processes;
  const uint64_t bytes;
  const uint64_t mapped_bytes;
  std::vector<std::byte*> regions;  // by member
  std::vector<uint32_t*> waiters;   // null: only messages reach it

 private:
  bool map_all(const SharedFile& file, size_t first, size_t count, std::string& problem);

  SharedFile file_;  // of the ranks that live here
  size_t first_ = 0, count_ = 0;
  std::vector<runtime::ReservedRange> reserved_;
  std::shared_ptr<LocalRegions> published_;
};

class RegionSets {
 public:
  void give(std::unique_ptr<RegionSet> set);
  // Those that are free for such a group.
  std::vector<uint64_t> free(const std::vector<int32_t>& devices, uint64_t bytes);
  std::unique_ptr<RegionSet> take(uint64_t id);

  // Sets kept at most.
  static constexpr size_t keep_count = 64;

 private:
  std::mutex mutex_;
  std::list<std::unique_ptr<RegionSet>> free_;  // oldest first
};

// What a group of a call has. Goes back where it came from, which may outlive the world.
class SharedGroupMemory final : public NumberedMemory {
 public:
  SharedGroupMemory(std::unique_ptr<RegionSet> set, std::shared_ptr<RegionSets> home);
  ~SharedGroupMemory() override { home_->give(std::move(set_)); }
  void clear(size_t member) override { set_->clear(member); }

 private:
  std::unique_ptr<RegionSet> set_;
  std::shared_ptr<RegionSets> home_;
};

}  // namespace tilewire::processes
