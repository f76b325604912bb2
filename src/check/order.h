// Happens-before, as vector clocks of agents. The rules are those of the semantics page; a remote write
// counts as made where it is issued, since whatever is ordered after the issuing block's next notify or end
// is ordered after both.
#pragma once

#include <memory>
#include <vector>

#include "check/action.h"

namespace tilewire::check {

// Per agent, how many of its releases are known. Null: none. Shared, immutable.
using Clock = std::shared_ptr<const std::vector<uint32_t>>;
Clock join(const Clock& a, const Clock& b);
inline bool knows(const Clock& clock, AgentId agent, uint32_t epoch) {
  return clock && agent < clock->size() && (*clock)[agent] >= epoch;
}

// A point in an agent's program: between two of its releases.
struct Moment {
  AgentId agent = 0;
  uint32_t epoch = 0;
};

class Order {
 public:
  // The present of an agent.
  Moment now(AgentId agent) { return {agent, state(agent).epoch}; }
  const Clock& seen(AgentId agent) { return state(agent).seen; }
  // Whether a moment is ordered before the present of `agent`.
  bool before(const Moment& moment, AgentId agent) {
    if (moment.agent == agent || knows(state(agent).seen, moment.agent, moment.epoch)) return true;
    // Set if the issuer of a notify uses its cell only after it has landed.
    const AgentState& earlier = state(moment.agent);
    return earlier.flies && earlier.issuer == agent;
  }
  void acquire(AgentId agent, const Clock& clock);
  // The knowledge of an acquirer.
  Clock release(AgentId agent);
  // A notify is issued; it lands as the agent `flight`, which is ordered after what its issuer knows and
  // after the notifies that have to land first. `joint`: it is part of the release of the notify before it.
  void issue(AgentId issuer, AgentId flight, bool joint);
  // Submissions, starts, ends and joins.
  void follow(const Action& action);

 private:
  struct AgentState {
    Clock seen;
    uint32_t epoch = 1;
    std::vector<TaskNo> submitted;
    Clock issued;  // of the notifies it has issued, as its next release knows them
    Clock told;    // by the last of them
    bool flies = false;
    AgentId issuer = 0;  // of one that flies
  };
  struct TaskState {
    Clock start, end;
    std::vector<TaskNo> after;
  };
  AgentState& state(AgentId agent);
  TaskState& task(TaskNo number);

  std::vector<AgentState> agents_;
  std::vector<TaskState> tasks_;
};

}  // namespace tilewire::check
