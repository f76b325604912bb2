// Where in `pl.parallel` loops an orchestration function is: tasks of different rounds of one loop are not
// ordered by what they touch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "abi/abi.h"

namespace tilewire::runtime {

class Rounds {
 public:
  // Loops nested deeper than this are taken as ordinary ones.
  static constexpr uint32_t deepest = 4;

  // Both were in one execution of a loop, in different rounds.
  bool independent(const Rounds& other) const {
    uint32_t common = std::min(depth_, other.depth_);
    for (uint32_t i = 0; i < common; ++i) {
      if (levels_[i].loop != other.levels_[i].loop) return false;
      if (levels_[i].round != other.levels_[i].round) return true;
    }
    return false;
  }
  // `other` is in the same rounds, or in those and further ones: what is independent of this is of it, too.
  bool contain(const Rounds& other) const {
    return depth_ <= other.depth_ &&
           std::equal(levels_.begin(), levels_.begin() + depth_, other.levels_.begin());
  }

 protected:
  struct Level {
    uint32_t loop, round;
    bool operator==(const Level&) const = default;
  };
  uint32_t depth_ = 0;
  std::array<Level, deepest> levels_;
};

// The rounds an orchestration function is in now.
class CurrentRounds : public Rounds {
 public:
  void step(abi::ParallelStep what) {
    switch (what) {
      case abi::ParallelStep::Enter:
        if (nesting_++ < deepest) levels_[depth_++] = {++loops_, 0};
        break;
      case abi::ParallelStep::Round:
        if (nesting_ <= deepest && nesting_ > 0) ++levels_[depth_ - 1].round;
        break;
      case abi::ParallelStep::Leave:
        if (nesting_-- <= deepest) --depth_;
        break;
    }
  }

 private:
  uint32_t nesting_ = 0;
  uint32_t loops_ = 0;
};

}  // namespace tilewire::runtime
