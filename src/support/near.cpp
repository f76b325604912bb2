#include "support/near.h"

#include <algorithm>

namespace tilewire {
namespace {

constexpr size_t longest = 64;  // of names worth comparing; keeps the cost of an error bounded

// Edits (insert, delete, replace, swap of neighbours) between two short names.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, previous(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    before = previous;
    previous = current;
  }
  return previous[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > longest) return std::nullopt;
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  std::optional<std::string> result;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest || candidate == name) continue;
    size_t d = distance(name, candidate);
    if (d < best || (d == best && result && candidate < *result)) {
      best = d;
      result = candidate;
    }
  }
  return result;
}

}  // namespace tilewire
