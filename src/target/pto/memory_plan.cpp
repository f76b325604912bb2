#include "target/pto/memory_plan.h"

#include <algorithm>
#include <map>

namespace tilewire::target::pto {

using ir::MemorySpace;

int64_t capacity(MemorySpace space) {
  switch (space) {
    case MemorySpace::Vec:
      return 192 << 10;
    case MemorySpace::Mat:
      return 512 << 10;
    case MemorySpace::Left:
    case MemorySpace::Right:
      return 64 << 10;
    case MemorySpace::Acc:
      return 128 << 10;
    case MemorySpace::Bias:
      return 1 << 10;
    default:
      return 0;
  }
}

const char* name_of(MemorySpace space) {
  switch (space) {
    case MemorySpace::Vec:
      return "Vec";
    case MemorySpace::Mat:
      return "Mat";
    case MemorySpace::Left:
      return "Left";
    case MemorySpace::Right:
      return "Right";
    case MemorySpace::Acc:
      return "Acc";
    case MemorySpace::Bias:
      return "Bias";
    default:
      return "DDR";
  }
}

namespace {

int64_t alignment_of(const Area& area) {
  if (area.alignment > 0) return area.alignment;
  const bool fine =
      area.space == MemorySpace::Vec || area.space == MemorySpace::Mat || area.space == MemorySpace::Bias;
  return fine ? 32 : 512;
}

bool together(const Area& a, const Area& b) {
  for (size_t i = 0; i < a.in_use.size() && i < b.in_use.size(); ++i) {
    if (a.in_use[i] && b.in_use[i]) return true;
  }
  return false;
}

}  // namespace

// The largest first, each at the lowest address that is free while it is in use.
std::vector<std::pair<MemorySpace, int64_t>> place(std::vector<Area*> areas) {
  std::stable_sort(areas.begin(), areas.end(),
                   [](const Area* a, const Area* b) { return a->bytes > b->bytes; });
  std::map<MemorySpace, int64_t> needed;
  std::map<MemorySpace, std::vector<Area*>> placed;
  for (Area* area : areas) {
    std::vector<const Area*> others;
    for (const Area* other : placed[area->space]) {
      if (together(*area, *other)) others.push_back(other);
    }
    std::sort(others.begin(), others.end(),
              [](const Area* a, const Area* b) { return a->address < b->address; });
    const int64_t alignment = alignment_of(*area);
    int64_t at = 0;
    for (const Area* other : others) {
      if (at + area->bytes <= other->address) break;
      at = std::max(at, (other->address + other->bytes + alignment - 1) / alignment * alignment);
    }
    area->address = at;
    placed[area->space].push_back(area);
    needed[area->space] = std::max(needed[area->space], at + area->bytes);
  }
  std::vector<std::pair<MemorySpace, int64_t>> over;
  for (const auto& [space, bytes] : needed) {
    if (bytes > capacity(space)) over.emplace_back(space, bytes);
  }
  return over;
}

}  // namespace tilewire::target::pto
