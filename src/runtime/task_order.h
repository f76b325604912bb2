// What a new task of a rank waits for. The rule is abi/task_order.h; this applies it to launches.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/access_index.h"
#include "runtime/windows.h"

namespace tilewire::runtime {

class TaskOrder {
 public:
  // Before a run: which memory belongs to which group.
  void begin(const Windows* windows, int32_t rank) {
    regions_.clear();
    if (windows) windows->append_regions(rank, regions_);
  }

  // Calls found(Task&) for every live task that the launch follows by data or communication order. The launch
  // is added afterwards.
  template <class Found>
  void predecessors(const abi::Launch& launch, const abi::Rounds& rounds, Found found) {
    each_argument(launch, launch.args, [&](const Box& box, const abi::Use& use) {
      index_.by_data(box, use, rounds, true, found);
      if (abi::in_communication_order(use)) index_.by_communication(use, found);
    });
  }

  // The launch has become a task, which has a copy of the arguments. `holds`: find it in `in_use`.
  void enter(Task& task, const abi::Launch& launch, bool holds) {
    each_argument(launch, task.args,
                  [&](const Box& box, const abi::Use& use) { index_.add(task, box, use, holds); });
  }

  // Calls found(Task&) for every live task, of any iteration, that an access to the tensor must follow.
  template <class Found>
  void users(const Box& box, uint8_t access, Found found) {
    index_.by_data(box, {.access = access}, {}, false, found);
  }
  // Calls found(Task&) for every live task that has a part of the bytes as an argument.
  template <class Found>
  void in_use(const Box& box, Found found) {
    index_.in_use(box, found);
  }

  void clear() { index_.clear(); }

 private:
  // Calls visit(box, use) for each argument that has bytes.
  template <class Visit>
  void each_argument(const abi::Launch& launch, const abi::Word* words, Visit visit) const {
    const abi::Function& kernel = *launch.kernel;
    for (uint32_t i = 0; i < kernel.param_count; ++i) {
      const abi::Param& param = kernel.params[i];
      if (abi::has_bytes(param)) {
        abi::Use use{.access = param.access,
                     .tracked = !(launch.untracked && (launch.untracked[i / 64] >> (i % 64) & 1)),
                     .ordered = !(launch.bits & abi::Unordered),
                     .group = group_of(param, words)};
        visit(Box{words, param.rank, param.element_bytes}, use);
      }
      words += abi::word_count(param);
    }
  }

  // A plain tensor may also be a window, which its address shows.
  uintptr_t group_of(const abi::Param& param, const abi::Word* words) const {
    if (param.kind == abi::ParamKind::Window) {
      return reinterpret_cast<uintptr_t>(
          reinterpret_cast<const abi::Window*>(words[1 + 2 * param.rank])->group);
    }
    for (const WindowRegion& region : regions_) {
      if (words[0] - region.begin < region.bytes) return reinterpret_cast<uintptr_t>(region.group);
    }
    return 0;
  }

  AccessIndex index_;
  std::vector<WindowRegion> regions_;  // of this rank
};

}  // namespace tilewire::runtime
