#include "runtime/windows.h"

#include <algorithm>
#include <numeric>

#include "abi/even_hosts.h"
#include "support/diagnostics.h"
#include "support/element_text.h"

namespace tilewire::runtime {
namespace {

std::string cell_text(const WindowSlot& slot, uint64_t offset) {
  return element_text(slot.name, slot.shape, static_cast<int64_t>(offset) / slot.element_bytes);
}

}  // namespace

std::unique_ptr<Windows> Windows::make(int32_t ranks, std::vector<GroupLayout> groups, World& world) {
  std::unique_ptr<Windows> windows(new Windows(world, ranks));
  windows->groups_.reserve(groups.size());
  for (GroupLayout& layout : groups) {
    Group& group = windows->groups_.emplace_back();
    group.layout = std::move(layout);
    windows->number_ranks(group, ranks);
    for (const WindowSlot& slot : group.layout.slots) {
      TW_CHECK(slot.offset <= group.layout.bytes && slot.bytes <= group.layout.bytes - slot.offset,
               "a window buffer outside its region");
    }
    group.memory = world.map(group.layout, ranks);
    if (!group.memory) return nullptr;
    number_hosts(group);
    windows->add_views(group);
    windows->add_regions(group, static_cast<uint32_t>(windows->groups_.size() - 1));
  }
  std::sort(windows->regions_.begin(), windows->regions_.end(),
            [](const Region& a, const Region& b) { return a.base < b.base; });
  return windows;
}

void Windows::number_ranks(Group& group, int32_t ranks) const {
  std::vector<int32_t>& devices = group.layout.devices;
  if (devices.empty()) {
    devices.resize(ranks);
    std::iota(devices.begin(), devices.end(), 0);
  }
  group.index.assign(ranks, -1);
  for (size_t i = 0; i < devices.size(); ++i) {
    TW_CHECK(devices[i] >= 0 && devices[i] < ranks, "a communication group of a rank that does not exist");
    group.index[devices[i]] = static_cast<int32_t>(i);
    group.first_here += devices[i] < part_.first;
  }
}

void Windows::number_hosts(Group& group) {
  const std::vector<int32_t>& given = group.memory->hosts;
  group.hosts.assign(group.layout.devices.size(), 0);
  std::vector<int32_t> known;
  for (size_t i = 0; i < given.size(); ++i) {
    auto found = std::find(known.begin(), known.end(), given[i]);
    group.hosts[i] = static_cast<int32_t>(found - known.begin());
    if (found == known.end()) known.push_back(given[i]);
  }
  group.host_count = std::max<int32_t>(1, static_cast<int32_t>(known.size()));
  group.even_hosts = abi::even_hosts(group.hosts);
}

void Windows::add_views(Group& group) {
  const std::vector<int32_t>& devices = group.layout.devices;
  const auto count = static_cast<int32_t>(devices.size());
  int32_t end = group.first_here;
  while (end < count && part_.has(devices[end])) ++end;
  const std::vector<WindowSlot>& slots = group.layout.slots;
  group.views.reserve(end - group.first_here);
  group.windows.reserve((end - group.first_here) * slots.size());
  for (int32_t i = group.first_here; i < end; ++i) {
    const abi::Group& view =
        group.views.emplace_back(abi::Group{group.memory->regions.data(), group.memory->waiters.data(), i,
                                            count, group.hosts.data(), group.host_count, group.even_hosts});
    for (const WindowSlot& slot : slots) group.windows.push_back({&view, slot.offset, slot.bytes});
  }
}

void Windows::add_regions(const Group& group, uint32_t number) {
  const GroupMemory& memory = *group.memory;
  regions_.reserve(regions_.size() + memory.regions.size());
  for (size_t i = 0; i < memory.regions.size(); ++i) {
    regions_.push_back(
        {memory.regions[i], memory.mapped_bytes, number, group.layout.devices[i], memory.waiters[i]});
  }
}

const abi::Group* Windows::view_of(const Group& group, int32_t rank) const {
  const int32_t index = group.index.at(rank);
  return index < 0 || !part_.has(rank) ? nullptr : &group.views[index - group.first_here];
}

const abi::Group* Windows::group(size_t group, int32_t rank) const {
  return view_of(groups_.at(group), rank);
}

const abi::Window* Windows::window(size_t number, size_t slot, int32_t rank) const {
  const Group& group = groups_.at(number);
  const abi::Group* view = view_of(group, rank);
  return view ? &group.windows.at((view - group.views.data()) * group.layout.slots.size() + slot) : nullptr;
}

std::byte* Windows::data(size_t number, size_t slot, int32_t rank) const {
  const Group& group = groups_.at(number);
  const int32_t index = group.index.at(rank);
  return index < 0 ? nullptr : group.memory->regions[index] + group.layout.slots.at(slot).offset;
}

void Windows::zero() {
  for (Group& group : groups_) {
    for (const abi::Group& view : group.views) group.memory->clear(view.rank);
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

FarPlace Windows::far_place(const void* address) const {
  const Region* region = region_of(address);
  if (!region || region->waiters) return {};
  const Group& group = groups_[region->group];
  return {group.memory.get(), group.index[region->rank],
          static_cast<uint64_t>(static_cast<const std::byte*>(address) - region->base)};
}

const WindowSlot* Windows::slot_at(const Region& region, uint64_t offset) const {
  for (const WindowSlot& slot : groups_[region.group].layout.slots) {
    if (offset >= slot.offset && offset - slot.offset < slot.bytes) return &slot;
  }
  return nullptr;
}

std::string Windows::name_of(const ScheduleStep& step) const {
  const auto cell = cell_of(step);
  const auto place = cell ? find(cell->window) : std::nullopt;
  if (!place) return step.cell;
  return cell_text(slot(place->group, place->slot), static_cast<uint64_t>(cell->element) * sizeof(int32_t));
}

bool Windows::is_cell(const int32_t* cell, const ScheduleStep& step) const {
  const Region* region = region_of(cell);
  if (!region) return step.cell.empty();
  const uint64_t at = reinterpret_cast<const std::byte*>(cell) - region->base;
  const WindowSlot* slot = slot_at(*region, at);
  const auto wanted = cell_of(step);
  return slot && wanted && slot->name == wanted->window && region->rank == step.cell_rank &&
         (at - slot->offset) / sizeof(int32_t) == static_cast<uint64_t>(wanted->element);
}

uint64_t Windows::bytes_in_slot(const void* address) const {
  const Region* region = region_of(address);
  if (!region) return 0;
  const auto at = static_cast<uint64_t>(static_cast<const std::byte*>(address) - region->base);
  const WindowSlot* slot = slot_at(*region, at);
  return slot ? slot->bytes - (at - slot->offset) : 0;
}

std::string Windows::name_of(const int32_t* cell) const {
  const Region* region = region_of(cell);
  if (!region) return "";
  uint64_t at = reinterpret_cast<const std::byte*>(cell) - region->base;
  if (const WindowSlot* slot = slot_at(*region, at)) {
    return "`" + cell_text(*slot, at - slot->offset) + "` on rank " + std::to_string(region->rank);
  }
  return "byte " + std::to_string(at) + " of the region of rank " + std::to_string(region->rank);
}

}  // namespace tilewire::runtime
