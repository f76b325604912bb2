// Which registers of a function are still read, at each of its instructions.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewire::interp {

struct Code;

class Liveness {
 public:
  Liveness() = default;
  explicit Liveness(const Code& code);
  // Per register, whether its value before instruction `pc` matters.
  const std::vector<bool>& at(uint32_t pc) const { return before_[pc]; }

 private:
  std::vector<std::vector<bool>> before_;
};

}  // namespace tilewire::interp
