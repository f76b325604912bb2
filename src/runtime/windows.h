// The window buffers of a world as this process sees them: for every communication group, one zeroed region
// of memory for each of its ranks. A peer's memory is mapped, or its address names it in messages.
//
// The caller of a run creates these first, takes the words of window arguments from them, and passes them in
// the Request; they may be used for several runs, one after another, and keep their content until `zero`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/abi.h"
#include "runtime/far_link.h"
#include "runtime/world.h"
#include "support/schedule.h"

namespace tilewire::runtime {

// One window buffer: its position in every region of its group.
struct WindowSlot {
  std::string name;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  // The shape in which the program views it, for messages; none: several shapes, or known only at run time.
  std::vector<int64_t> shape = {};
  int64_t element_bytes = sizeof(int32_t);
};

struct GroupLayout {
  std::vector<int32_t> devices;  // ranks of the world, ascending; empty: all of them
  uint64_t bytes = 0;            // of a region
  std::vector<WindowSlot> slots;
};

// The memory of one rank in one group.
struct WindowRegion {
  uint64_t begin = 0;  // address
  uint64_t bytes = 0;
  const abi::Group* group = nullptr;
};

class Windows {
 public:
  // Null if there is not enough memory. Slots must be inside their region, devices inside the world.
  static std::unique_ptr<Windows> make(int32_t ranks, std::vector<GroupLayout> groups,
                                       World& world = local_world());
  Windows(const Windows&) = delete;

  // The windows for `rank`, which lives here; null if it lives elsewhere or is not in the group.
  const abi::Group* group(size_t group, int32_t rank) const;
  const abi::Window* window(size_t group, size_t slot, int32_t rank) const;
  // The address of any rank's copy; null if it is not in the group.
  std::byte* data(size_t group, size_t slot, int32_t rank) const;
  bool in_group(size_t group, int32_t rank) const { return groups_.at(group).index.at(rank) >= 0; }

  // Adds the regions of a rank that lives here, one per group it is in.
  void append_regions(int32_t rank, std::vector<WindowRegion>& regions) const;

  // Those of the ranks that live here.
  void zero();
  // Before a run: zeroes them unless they are to keep their content or are unused.
  void begin_run(bool keep);

  World& world() const { return world_; }
  // Ranks of the world in a group, ascending.
  const std::vector<int32_t>& devices(size_t group) const { return groups_.at(group).layout.devices; }
  const WindowSlot& slot(size_t group, size_t slot) const { return groups_.at(group).layout.slots.at(slot); }
  struct Place {
    size_t group, slot;
  };
  // The position of the buffer of that name.
  std::optional<Place> find(std::string_view name) const;

  // The word that is non-zero while a fiber waits for a cell of the region; null outside all of them.
  uint32_t* waiter_word(const void* address) const;
  // The rank of the world whose region contains an address, or -1.
  int32_t rank_of(const void* address) const;
  // The place of an address in a region that only messages reach. Without `memory`: it is in none.
  FarPlace far_place(const void* address) const;
  // From there to the end of the buffer that contains the address.
  uint64_t bytes_in_slot(const void* address) const;
  // "`sig[1, 0]` on rank 1"; empty outside all regions.
  std::string name_of(const int32_t* cell) const;
  // "sig[1, 0]" for a cell that a schedule names; as written in the schedule if there is no such window.
  std::string name_of(const ScheduleStep& step) const;
  // Whether it is the cell of that step.
  bool is_cell(const int32_t* cell, const ScheduleStep& step) const;

 private:
  struct Region {
    std::byte* base;
    uint64_t bytes;  // mapped
    uint32_t group;
    int32_t rank;  // of the world
    uint32_t* waiters;
  };
  struct Group {
    GroupLayout layout;
    std::vector<int32_t> index;  // of a rank of the world in the group, or -1
    std::unique_ptr<GroupMemory> memory;
    std::vector<int32_t> hosts;  // of each of its ranks, numbered by their first one
    int32_t host_count = 0, even_hosts = 1;
    // Those of its ranks that live here follow each other, from this one on.
    int32_t first_here = 0;
    std::vector<abi::Group> views;
    std::vector<abi::Window> windows;  // of each view, one per slot
  };

  Windows(World& world, int32_t ranks) : world_(world), part_(world.part(ranks)) {}
  void number_ranks(Group& group, int32_t ranks) const;
  static void number_hosts(Group& group);
  // After the memory is there.
  void add_views(Group& group);
  void add_regions(const Group& group, uint32_t number);
  const Region* region_of(const void* address) const;
  // The slot of a region that has the byte at `offset`; null between slots.
  const WindowSlot* slot_at(const Region& region, uint64_t offset) const;
  // The view of a rank; null when it lives elsewhere or is not in the group.
  const abi::Group* view_of(const Group& group, int32_t rank) const;

  World& world_;
  const World::Part part_;
  std::vector<Group> groups_;
  std::vector<Region> regions_;  // by address, once all are mapped
  bool fresh_ = true;            // no run has used them
};

}  // namespace tilewire::runtime
