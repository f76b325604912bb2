#include "runtime/windows.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "runtime/process.h"
#include "support/diagnostics.h"

namespace tilewire::runtime {
namespace {

uint64_t physical_bytes() {
  static const uint64_t bytes = uint64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return bytes;
}

}  // namespace

std::unique_ptr<Windows> Windows::make(int32_t ranks, std::vector<GroupLayout> groups) {
  std::unique_ptr<Windows> windows(new Windows());
  windows->groups_.reserve(groups.size());
  for (GroupLayout& layout : groups) {
    Group& group = windows->groups_.emplace_back();
    group.layout = std::move(layout);
    std::vector<int32_t>& devices = group.layout.devices;
    if (devices.empty()) {
      devices.resize(ranks);
      std::iota(devices.begin(), devices.end(), 0);
    }
    group.index.assign(ranks, -1);
    for (size_t i = 0; i < devices.size(); ++i) {
      TW_CHECK(devices[i] >= 0 && devices[i] < ranks, "a communication group of a rank that does not exist");
      group.index[devices[i]] = static_cast<int32_t>(i);
    }
    for (const WindowSlot& slot : group.layout.slots) {
      TW_CHECK(slot.offset <= group.layout.bytes && slot.bytes <= group.layout.bytes - slot.offset,
               "a window buffer outside its region");
    }
    if (!windows->map(group, static_cast<uint32_t>(windows->groups_.size() - 1))) return nullptr;
  }
  std::sort(windows->regions_.begin(), windows->regions_.end(),
            [](const Region& a, const Region& b) { return a.base < b.base; });
  return windows;
}

bool Windows::map(Group& group, uint32_t number) {
  size_t count = group.layout.devices.size();
  // The system may promise more than it has and kill the process later.
  if (group.layout.bytes > physical_bytes() / std::max<size_t>(count, 1)) return false;
  uint64_t bytes = RegionPool::rounded(group.layout.bytes);
  words_.push_back(std::make_unique<WaiterWord[]>(count));
  for (size_t i = 0; i < count; ++i) {
    std::byte* base = Process::get().regions.take(bytes);
    if (!base) return false;
    uint32_t* waiters = &words_.back()[i].value;
    regions_.push_back({base, bytes, number, group.layout.devices[i], waiters});
    group.regions.push_back(base);
    group.waiters.push_back(waiters);
  }
  group.members.resize(count);
  for (size_t i = 0; i < count; ++i) {
    Member& member = group.members[i];
    member.view = {group.regions.data(), group.waiters.data(), static_cast<int32_t>(i),
                   static_cast<int32_t>(count)};
    for (const WindowSlot& slot : group.layout.slots)
      member.windows.push_back({&member.view, slot.offset, slot.bytes});
  }
  return true;
}

Windows::~Windows() {
  for (const Region& region : regions_) {
    Process::get().regions.give(region.base, region.bytes, groups_[region.group].layout.bytes);
  }
}

const abi::Group* Windows::group(size_t group, int32_t rank) const {
  int32_t index = groups_.at(group).index.at(rank);
  return index < 0 ? nullptr : &groups_[group].members[index].view;
}

const abi::Window* Windows::window(size_t group, size_t slot, int32_t rank) const {
  int32_t index = groups_.at(group).index.at(rank);
  return index < 0 ? nullptr : &groups_[group].members[index].windows.at(slot);
}

std::byte* Windows::data(size_t group, size_t slot, int32_t rank) const {
  int32_t index = groups_.at(group).index.at(rank);
  return index < 0 ? nullptr : groups_[group].regions[index] + groups_[group].layout.slots.at(slot).offset;
}

void Windows::zero() {
  for (const Region& region : regions_) {
    RegionPool::clear(region.base, region.bytes, groups_[region.group].layout.bytes);
  }
  fresh_ = true;
}

void Windows::begin_run(bool keep) {
  if (!keep && !fresh_) zero();
  fresh_ = false;
}

std::optional<Windows::Place> Windows::find(std::string_view name) const {
  for (size_t group = 0; group < groups_.size(); ++group) {
    const std::vector<WindowSlot>& slots = groups_[group].layout.slots;
    for (size_t slot = 0; slot < slots.size(); ++slot) {
      if (slots[slot].name == name) return Place{group, slot};
    }
  }
  return std::nullopt;
}

const Windows::Region* Windows::region_of(const void* address) const {
  auto* at = static_cast<const std::byte*>(address);
  auto after = std::upper_bound(regions_.begin(), regions_.end(), at,
                                [](const std::byte* a, const Region& region) { return a < region.base; });
  if (after == regions_.begin()) return nullptr;
  const Region& region = *std::prev(after);
  return at < region.base + region.bytes ? &region : nullptr;
}

void Windows::append_regions(int32_t rank, std::vector<WindowRegion>& regions) const {
  for (size_t i = 0; i < groups_.size(); ++i) {
    const abi::Group* view = group(i, rank);
    if (!view) continue;
    auto begin = reinterpret_cast<uint64_t>(view->regions[view->rank]);
    regions.push_back({begin, groups_[i].layout.bytes, view});
  }
}

uint32_t* Windows::waiter_word(const void* address) const {
  const Region* region = region_of(address);
  return region ? region->waiters : nullptr;
}

int32_t Windows::rank_of(const void* address) const {
  const Region* region = region_of(address);
  return region ? region->rank : -1;
}

std::string Windows::name_of(const int32_t* cell) const {
  const Region* region = region_of(cell);
  if (!region) return "";
  uint64_t at = reinterpret_cast<const std::byte*>(cell) - region->base;
  for (const WindowSlot& slot : groups_[region->group].layout.slots) {
    if (at < slot.offset || at - slot.offset >= slot.bytes) continue;
    return "`" + slot.name + "[" + std::to_string((at - slot.offset) / sizeof(int32_t)) + "]` of rank " +
           std::to_string(region->rank);
  }
  return "byte " + std::to_string(at) + " of the region of rank " + std::to_string(region->rank);
}

}  // namespace tilewire::runtime
