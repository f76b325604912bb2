// Shorter schedules that show the same error. A schedule that a tier finds has steps that the error does not
// need: other ranks that ran as far as they could, turns taken in between. Steps are left out greedily, agent
// by agent, and each candidate is run to see whether it still ends in the error.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "check/search.h"

namespace tilewire::check {

class Shortener {
 public:
  // `start`: the world that the runs to be shortened began with; it must outlive this. All runs share one
  // budget of steps, and of time from the first of them on.
  explicit Shortener(const interp::World& start) : start_(start) {}

  // Whether a run shows the error; asked after each new conflict and after a failure.
  using Shows = std::function<bool(const Run&)>;

  // The shortest run that was found: it ends with the step that shows the error. `steps`: agents of `run` in
  // the order of their steps. Null if these steps, taken on their own, do not show it, or if nothing is left
  // of the budget.
  std::unique_ptr<Run> shorten(const Run& run, const std::vector<AgentId>& steps, const Shows& shows);

 private:
  friend class Attempt;
  bool spent() const;

  const interp::World& start_;
  size_t steps_left_ = 500'000;
  std::optional<std::chrono::steady_clock::time_point> until_;  // nothing: nothing has been shortened yet
};

}  // namespace tilewire::check
