// Which communication group a window buffer belongs to, and which ranks are in it.
#pragma once

#include <vector>

#include "ir/nodes.h"

namespace tilewire::ir {

// The number of the group that lists the buffer assigned to `base`; -1: none does.
inline int group_number(const std::vector<Ref<const CommGroup>>& groups, const Var* base) {
  for (size_t number = 0; number < groups.size(); ++number) {
    for (const WindowBufferRef& slot : groups[number]->slots) {
      if (slot->base.get() == base) return static_cast<int>(number);
    }
  }
  return -1;
}
inline const CommGroup* group_of(const std::vector<Ref<const CommGroup>>& groups, const Var* base) {
  const int number = group_number(groups, base);
  return number < 0 ? nullptr : groups[static_cast<size_t>(number)].get();
}

// In a run on `ranks` ranks; a group without a list has all of them.
inline std::vector<int> members(const CommGroup& group, int ranks) {
  std::vector<int> all(group.devices.begin(), group.devices.end());
  for (int rank = 0; group.devices.empty() && rank < ranks; ++rank) all.push_back(rank);
  return all;
}

}  // namespace tilewire::ir
