// Observes one run: records its events, their order, and every unordered pair of uses.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "check/shadow.h"
#include "interp/world.h"

namespace tilewire::check {

using Trace = std::vector<Action>;

// Two uses of the same bytes by different agents, in no order. Positions in the trace.
struct Conflict {
  uint32_t first, second;
  int64_t begin, end;  // bytes of their storage
};

// A block began a collective.
struct CollectiveCall {
  AgentId agent = 0;
  TaskNo task = interp::no_task;
  int rank = 0;
  int64_t block = 0;
  int32_t window = -1;      // of the signal
  int64_t offset = 0;       // of the signal in it, in bytes
  interp::Members members;  // of the signal's group: the participants
  std::string name;         // "`allreduce(mode=ring)` of `w`": what all ranks must have in common
  const ir::Node* where = nullptr;
  bool operator==(const CollectiveCall&) const = default;
};

class Watch final : public interp::EventSink {
 public:
  void on(const interp::Event& event) override;
  // Events from now on belong to this step of the schedule.
  void begin_step(uint32_t step) { step_ = step; }

  const Trace& trace() const { return trace_; }
  // One per pair of places in the source, in the order they were found.
  const std::vector<Conflict>& conflicts() const { return conflicts_; }

  const std::vector<CollectiveCall>& collectives() const { return collectives_; }
  // Atomic updates of floats that are not ordered with another update of the same elements.
  const std::set<const ir::Node*>& unordered_sums() const { return unordered_sums_; }

  // Whether the cell met the condition at a moment after the agent last used it, or ever if it did not.
  bool has_met(AgentId agent, const CellId& cell, ir::WaitCmp cmp, int64_t expected) const;
  // The last value of the cell; 0 if it was not written.
  int64_t value_of(const CellId& cell) const;

 private:
  struct Cell {
    Clock chain;  // of the notifies that made its value
    std::vector<int64_t> values{0};
    std::map<AgentId, size_t> last_use;  // positions in `values`
  };
  void use_cell(const Action& action);
  void touch(uint32_t index);
  bool has_looked_since(const Action& landing) const;

  Trace trace_;
  Order order_;
  Shadow shadow_;
  std::map<CellId, Cell> cells_;
  std::vector<Conflict> conflicts_;
  std::vector<CollectiveCall> collectives_;
  std::map<AgentId, uint32_t> issued_;  // notifies under way: where in the trace
  std::set<std::tuple<const ir::Node*, const ir::Node*, bool>> told_;
  std::set<const ir::Node*> unordered_sums_;
  uint32_t step_ = 0;
};

// The action of an event; empty for events that do not concern order or memory.
std::optional<Action> action_of(const interp::Event& event);

}  // namespace tilewire::check
