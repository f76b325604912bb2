// The general tier: every schedule that differs in the order of dependent uses of signal cells, once
// (stateless search with dynamic partial-order reduction and sleep sets). Waits are blocking steps; a poll
// that repeats a state is one too, until a cell it looked at changes. Data never makes a difference to the
// schedules: where it could, there is a race, which ends the search; or it is a sum of floats, whose
// updates are steps if Options::order_sums is set. Past the limit schedules are drawn at random: agents
// have random priorities, and a few times the running one gets the lowest.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "check/watch.h"
#include "interp/world.h"

namespace tilewire::check {

// A run to its end, or to the first error.
struct Run {
  enum class End : uint8_t {
    Finished,
    Conflict,  // watch.conflicts() is not empty
    Deadlock,
    Failed,     // world.error()
    Halted,     // agents are stopped at checked errors (interp::OnError), and nothing else is runnable
    Divergent,  // all finished, but with different collectives
    TooLong,
    Covered,  // every continuation is part of another schedule
  };
  explicit Run(const interp::World& start) : world(start) {}

  interp::World world;
  Watch watch;
  std::vector<AgentId> schedule;
  End end = End::Finished;
  bool wrong() const {
    return end == End::Conflict || end == End::Deadlock || end == End::Failed || end == End::Divergent;
  }
};

// Chooses among the runnable agents.
using Pick = std::function<AgentId(Run&, std::span<const AgentId> runnable)>;
// `to_end`: continues after a conflict. Ends after `most_steps` steps.
inline constexpr size_t most_steps = 1'000'000;
void carry_out(Run& run, const Pick& pick, bool to_end = false);

struct SearchResult {
  std::unique_ptr<Run> wrong;  // the first run that ended badly; null: none
  bool complete = false;       // every schedule has been seen
  size_t schedules = 0;
  size_t random = 0;             // of them, drawn at random after the limit
  size_t states = 0;             // that the search has been in, those of random schedules left out
  bool outcomes_differ = false;  // between schedules that finished
  std::set<const ir::Node*> unordered_sums;  // Watch::unordered_sums of all of them
};

struct SearchLimits {
  size_t schedules = 20000;
  size_t random = 200;
  uint64_t seed = 1;
  int changes = 3;     // of priorities in a random schedule
  bool reduce = true;  // false: every order of all steps, to measure what the reduction saves
};

// `start`: a world that has not taken a step, with Options::full_order and Options::detach. `finished` is
// called for every run that finishes.
SearchResult search(const interp::World& start, const SearchLimits& limits,
                    const std::function<void(const Run&)>& finished = nullptr);

}  // namespace tilewire::check
