#include "interp/scheduler.h"

#include <algorithm>

namespace tilewire::interp {

size_t InOrder::pick(const World& world, std::span<const AgentId> runnable) {
  for (size_t i = 0; i < runnable.size(); ++i) {
    if (world.agent(runnable[i]).level == CodeLevel::Kernel) return i;
  }
  return 0;
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
