#include "interp/scheduler.h"

#include <algorithm>

namespace tilewire::interp {

size_t InOrder::pick(const World& world, std::span<const AgentId> runnable) {
  constexpr int patience = 1000;
  size_t chosen = 0;
  while (chosen < runnable.size() && world.agent(runnable[chosen]).level != CodeLevel::Kernel) ++chosen;
  if (chosen == runnable.size()) chosen = 0;
  if (in_a_row_ >= patience) {
    // The one after the last, which keeps its place in the row of turns.
    auto next = std::upper_bound(runnable.begin(), runnable.end(), last_);
    chosen = next == runnable.end() ? 0 : static_cast<size_t>(next - runnable.begin());
    last_ = runnable[chosen];
    in_a_row_ = chosen == 0 ? 0 : in_a_row_;
    return chosen;
  }
  in_a_row_ = runnable[chosen] == last_ ? in_a_row_ + 1 : 0;
  last_ = runnable[chosen];
  return chosen;
}

size_t Random::pick(const World&, std::span<const AgentId> runnable) {
  state_ += 0x9E3779B97F4A7C15u;  // splitmix64
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<size_t>((z ^ (z >> 31)) % runnable.size());
}

size_t Replay::pick(const World& world, std::span<const AgentId> runnable) {
  if (next_ < schedule_.size()) {
    auto found = std::lower_bound(runnable.begin(), runnable.end(), schedule_[next_++]);
    if (found != runnable.end() && *found == schedule_[next_ - 1]) {
      return static_cast<size_t>(found - runnable.begin());
    }
    followed_ = false;
  }
  return rest_.pick(world, runnable);
}

void run(World& world, Scheduler& scheduler, EventSink* sink) {
  while (!world.error() && !world.finished()) {
    std::span<const AgentId> runnable = world.runnable();
    if (runnable.empty()) return world.report_deadlock();
    world.step(runnable[scheduler.pick(world, runnable)], sink);
  }
}

}  // namespace tilewire::interp
