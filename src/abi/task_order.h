// What orders two tasks of a rank. This is the one rule: interpreter, checker and runtime all ask it, and so
// do host programs emitted for other runtimes, which get this file as it is (C++17).
// do host programs emitted for other runtimes, which include this file (C++17).
// A task starts after an earlier one of its rank has ended
// - when it names it in `deps=` (known to the submitter, not decided here);
// - by data order: both use the same bytes of this rank, at least one writes them, and the two were not
//   submitted in different iterations of one `pl.parallel` loop, nor in one entry of a `pl.manual_scope`;
// - by communication order: both take a window of one group, and at least one of them signals, waits or
//   touches a peer through such a window.
// `pl.no_dep` takes an argument out of both orders, `ordered=False` the whole task out of communication
// order. A task with only `defer_wait` takes no argument and is ordered by `deps=` only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "abi/abi.h"

namespace tilewire::abi {

// Where in `pl.parallel` loops and `pl.manual_scope`s of an orchestration function a task was submitted.
class Rounds {
 public:
  // Loops nested deeper than this count as ordinary ones.
  static constexpr uint32_t deepest = 4;

  // Both were submitted in one execution of a loop, in different iterations, or in one entry of a scope.
  bool independent(const Rounds& other) const {
    if (manual_ != 0 && manual_ == other.manual_) return true;
    uint32_t common = std::min(depth_, other.depth_);
    for (uint32_t i = 0; i < common; ++i) {
      if (levels_[i].loop != other.levels_[i].loop) return false;
      if (levels_[i].round != other.levels_[i].round) return true;
    }
    return false;
  }
  // `other` is in the same iterations and scope, or nested in them: what is independent of this is
  // independent of it, too.
  bool contain(const Rounds& other) const {
    if (manual_ != 0 && manual_ != other.manual_) return false;
    return depth_ <= other.depth_ &&
           std::equal(levels_.begin(), levels_.begin() + depth_, other.levels_.begin());
  }

 protected:
  struct Level {
    uint32_t loop, round;
    bool operator==(const Level& other) const { return loop == other.loop && round == other.round; }
  };
  uint32_t depth_ = 0;
  uint32_t manual_ = 0;  // the entry of the outermost scope; 0: none
  std::array<Level, deepest> levels_{};
};

// The current iterations of an orchestration function.
class CurrentRounds : public Rounds {
 public:
  void step(ParallelStep what) {
    switch (what) {
      case ParallelStep::Enter:
        if (nesting_++ < deepest) levels_[depth_++] = {++loops_, 0};
        break;
      case ParallelStep::Round:
        if (nesting_ <= deepest && nesting_ > 0) ++levels_[depth_ - 1].round;
        break;
      case ParallelStep::Leave:
        if (nesting_-- <= deepest) --depth_;
        break;
      case ParallelStep::EnterManual:
        if (scopes_++ == 0) manual_ = ++entries_;
        break;
      case ParallelStep::LeaveManual:
        if (--scopes_ == 0) manual_ = 0;
        break;
      case ParallelStep::EnterStorage:
      case ParallelStep::LeaveStorage:
      case ParallelStep::Keep:
        break;  // about memory, not about order
    }
  }

 private:
  uint32_t nesting_ = 0;
  uint32_t loops_ = 0;
  uint32_t scopes_ = 0;   // `pl.manual_scope`s around
  uint32_t entries_ = 0;  // of outermost ones, so far
};

// How a task uses one argument.
struct Use {
  uint8_t access = 0;   // AccessBits of the parameter
  bool tracked = true;  // not pl.no_dep
  bool ordered = true;  // the task is not ordered=False
  uintptr_t group = 0;  // of the window that the argument is, or is a part of; 0: not a window
};

// Whether arguments that share a byte order their tasks, unless the iterations are independent.
constexpr bool ordered_by_data(const Use& earlier, const Use& later) {
  constexpr uint8_t uses = Reads | Writes;
  return earlier.tracked && later.tracked && (earlier.access & uses) && (later.access & uses) &&
         ((earlier.access | later.access) & Writes);
}

// Whether the argument takes part in the communication order of its group.
constexpr bool in_communication_order(const Use& use) {
  return use.group != 0 && use.tracked && use.ordered;
}
constexpr bool ordered_by_communication(const Use& earlier, const Use& later) {
  return in_communication_order(earlier) && in_communication_order(later) && earlier.group == later.group &&
         ((earlier.access | later.access) & Communicates);
}

// Whether `later` starts after `earlier` has ended, `deps=` aside. A task has `rounds` and a range
// `arguments`, each with a `use`; `overlap(a, b)`: whether two arguments share a byte.
template <class Task, class Overlap>
bool must_follow(const Task& later, const Task& earlier, Overlap overlap) {
  const bool independent = later.rounds.independent(earlier.rounds);
  for (const auto& a : earlier.arguments) {
    for (const auto& b : later.arguments) {
      if (ordered_by_communication(a.use, b.use)) return true;
      if (!independent && ordered_by_data(a.use, b.use) && overlap(a, b)) return true;
    }
  }
  return false;
}

}  // namespace tilewire::abi
