#include "support/ranges_text.h"

#include <iterator>

namespace tilewire {

std::string ranges_text(const std::set<int64_t>& numbers) {
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    auto last = at;
    while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(*at);
    if (*last > *at) text += (*last == *at + 1 ? " and " : " to ") + std::to_string(*last);
    at = std::next(last);
  }
  return text;
}

}  // namespace tilewire
