// Chooses the agent of the next step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "interp/world.h"

namespace tilewire::interp {

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // An index into `runnable`, which is not empty and ascending.
  virtual size_t pick(const World& world, std::span<const AgentId> runnable) = 0;
};

// Tasks before the functions that submit them, the oldest first: program order if one rank runs alone.
// An agent that takes very many steps in a row, in a polling loop, yields to the others.
class InOrder final : public Scheduler {
 public:
  size_t pick(const World& world, std::span<const AgentId> runnable) override;

 private:
  AgentId last_ = 0;
  int in_a_row_ = 0;
};

// Any of them. The same seed gives the same schedule on every machine.
class Random final : public Scheduler {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  size_t pick(const World& world, std::span<const AgentId> runnable) override;

 private:
  uint64_t state_;
};

// The agents of a list, one after the other; then, or where the one named cannot run, in order.
class Replay final : public Scheduler {
 public:
  explicit Replay(std::vector<AgentId> schedule) : schedule_(std::move(schedule)) {}
  size_t pick(const World& world, std::span<const AgentId> runnable) override;
  // Whether every step so far was one of the list.
  bool followed() const { return followed_; }

 private:
  std::vector<AgentId> schedule_;
  size_t next_ = 0;
  bool followed_ = true;
  InOrder rest_;
};

// Runs to the end: finished, failed or deadlocked.
void run(World& world, Scheduler& scheduler, EventSink* sink = nullptr);

}  // namespace tilewire::interp
