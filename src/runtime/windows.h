// The window buffers of a local world: for every communication group, one zeroed region of memory for each of
// its ranks, all mapped here, so that a peer's memory is an address away.
//
// The maker of a run builds these first, takes the words of window arguments from them, and passes them with
// the Request; they may be used for several runs, one after the other, and keep their content until `zero`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/abi.h"

namespace tilewire::runtime {

// One window buffer: where it lies in every region of its group.
struct WindowSlot {
  std::string name;
  uint64_t offset = 0;
  uint64_t bytes = 0;
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
  // Null when there is not that much memory. Slots must lie inside their region, devices inside the world.
  static std::unique_ptr<Windows> make(int32_t ranks, std::vector<GroupLayout> groups);
  Windows(const Windows&) = delete;
  ~Windows();

  // As `rank` of the world sees them; null when it is not in the group.
  const abi::Group* group(size_t group, int32_t rank) const;
  const abi::Window* window(size_t group, size_t slot, int32_t rank) const;
  std::byte* data(size_t group, size_t slot, int32_t rank) const;  // its own copy

  // Adds the regions of a rank, one per group it is in.
  void append_regions(int32_t rank, std::vector<WindowRegion>& regions) const;

  void zero();
  // Before a run: zeroes them unless they are to keep their content or nobody has used them yet.
  void begin_run(bool keep);

  // Ranks of the world in a group, ascending.
  const std::vector<int32_t>& devices(size_t group) const { return groups_.at(group).layout.devices; }
  const WindowSlot& slot(size_t group, size_t slot) const { return groups_.at(group).layout.slots.at(slot); }
  struct Place {
    size_t group, slot;
  };
  // Where the buffer of that name is.
  std::optional<Place> find(std::string_view name) const;

  // The word that is non-zero while somebody waits for a cell of the region; null outside all of them.
  uint32_t* waiter_word(const void* address) const;
  // The rank of the world whose region an address is in, or -1.
  int32_t rank_of(const void* address) const;
  // "`sig[3]` of rank 1", counting INT32 cells; empty outside all regions.
  std::string name_of(const int32_t* cell) const;

 private:
  struct Region {
    std::byte* base;
    uint64_t bytes;  // mapped, less the guard page
    uint32_t group;
    int32_t rank;  // of the world
    uint32_t* waiters;
  };
  struct alignas(64) WaiterWord {
    uint32_t value = 0;
  };
  struct Member {
    abi::Group view;
    std::vector<abi::Window> windows;
  };
  struct Group {
    GroupLayout layout;
    std::vector<int32_t> index;  // of a rank of the world in the group, or -1
    std::vector<std::byte*> regions;
    std::vector<uint32_t*> waiters;
    std::vector<Member> members;
  };

  Windows() = default;
  bool map(Group& group, uint32_t number);
  const Region* region_of(const void* address) const;

  std::vector<Group> groups_;
  std::vector<Region> regions_;  // by address, once all are mapped
  std::vector<std::unique_ptr<WaiterWord[]>> words_;
  bool fresh_ = true;  // no run has used them
};

}  // namespace tilewire::runtime
