#include "support/block_text.h"

namespace tilewire {

std::string half_text(int64_t block, int64_t lanes) {
  if (lanes <= 1) return "";
  const int64_t role = block % lanes;
  if (role == 0) return "cube half";
  return lanes == 2 ? "vector half" : "vector lane " + std::to_string(role - 1);
}

std::string block_text(int64_t block, int64_t blocks, int64_t lanes) {
  const std::string half = half_text(block, lanes);
  if (blocks <= lanes) return half;
  const std::string number =
      "block " + std::to_string(block / lanes) + " of " + std::to_string(blocks / lanes);
  return half.empty() ? number : half + " of " + number;
}

}  // namespace tilewire
