#include "support/element_text.h"

#include <algorithm>
#include <vector>

namespace tilewire {

std::string element_text(std::string_view name, std::span<const int64_t> shape, int64_t element) {
  std::vector<int64_t> indices;
  int64_t rest = element;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] <= 0) return element_text(name, {}, element);
    indices.push_back(rest % shape[d]);
    rest /= shape[d];
  }
  if (indices.empty() || element < 0 || rest != 0) indices = {element};
  std::reverse(indices.begin(), indices.end());
  std::string text(name);
  for (size_t i = 0; i < indices.size(); ++i) text += (i == 0 ? "[" : ", ") + std::to_string(indices[i]);
  return text + "]";
}

}  // namespace tilewire
