#include "runtime/access_index.h"

#include <algorithm>
#include <bit>

namespace tilewire::runtime {

size_t AccessIndex::first_at(const std::vector<Access>& items, uint64_t lo) {
  auto before = [](const Access& access, uint64_t address) { return access.lo < address; };
  return std::lower_bound(items.begin(), items.end(), lo, before) - items.begin();
}

void AccessIndex::insert(List& list, const Access& access) {
  int k = std::bit_width(access.hi - access.lo) - 1;
  Class& chosen = list.classes[k];
  std::vector<Access>& items = chosen.items;
  if (items.size() >= chosen.compact_at) {
    std::erase_if(items, [](const Access& old) { return !old.live(); });
    chosen.compact_at = std::max<size_t>(64, 2 * items.size());
  }
  // Programs mostly go upwards through memory.
  if (items.empty() || items.back().lo <= access.lo) {
    items.push_back(access);
  } else {
    items.insert(items.begin() + first_at(items, access.lo), access);
  }
  list.used |= uint64_t{1} << k;
  filled_ = true;
}

void AccessIndex::clear() {
  if (!filled_) return;
  filled_ = false;
  for (List* list : lists()) {
    for (uint64_t rest = list->used; rest != 0; rest &= rest - 1) {
      Class& used = list->classes[__builtin_ctzll(rest)];
      used.items.clear();
      used.compact_at = 64;
    }
    list->used = 0;
  }
}

size_t AccessIndex::size() const {
  size_t count = 0;
  for (const List* list : {&writers_, &readers_, &holders_, &communicators_, &takers_}) {
    for (const Class& each : list->classes) count += each.items.size();
  }
  return count;
}

}  // namespace tilewire::runtime
