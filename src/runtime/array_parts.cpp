#include "runtime/array_parts.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "runtime/transfer.h"

namespace tilewire::runtime {

uint64_t ArrayPart::bytes() const {
  return static_cast<uint64_t>(
             element_count(reinterpret_cast<const int64_t*>(words.data() + 1), dimensions)) *
         element_bytes;
}

void ArrayParts::add(int32_t rank, const abi::Param& param, const abi::Word* words, uint32_t site,
                     bool written) {
  const size_t count = 1 + 2 * size_t{param.rank};
  parts_.push_back(
      {rank, written, param.name, site, {words, words + count}, param.rank, param.element_bytes});
}

std::optional<std::pair<ArrayPart, ArrayPart>> ArrayParts::conflict(const World::Part& here) const {
  struct Span {
    Hull hull;
    const ArrayPart* part;
  };
  std::vector<Span> spans;
  for (const ArrayPart& part : parts_) {
    const Hull hull = hull_of(part.box());
    if (!hull.empty()) spans.push_back({hull, &part});
  }
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.hull.lo < b.hull.lo; });
  for (size_t i = 0; i < spans.size(); ++i) {
    for (size_t k = i + 1; k < spans.size() && spans[k].hull.lo < spans[i].hull.hi; ++k) {
      const ArrayPart &a = *spans[i].part, &b = *spans[k].part;
      if (here.has(a.rank) == here.has(b.rank) || (!a.written && !b.written)) continue;
      if (overlap(a.box(), b.box())) return a.written ? std::pair(a, b) : std::pair(b, a);
    }
  }
  return std::nullopt;
}

std::vector<ArrayPart> ArrayParts::written() const {
  std::vector<ArrayPart> result;
  std::set<std::tuple<int32_t, uint8_t, std::vector<abi::Word>>> known;
  for (const ArrayPart& part : parts_) {
    if (part.written && known.emplace(part.rank, part.element_bytes, part.words).second)
      result.push_back(part);
  }
  return result;
}

}  // namespace tilewire::runtime
