// The actions of one run as a program: each agent's actions in their order, to be executed again in another
// order. Valid for programs in which no value that depends on the schedule decides anything, so that every
// schedule has the same actions.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "check/watch.h"

namespace tilewire::check {

class Machine {
 public:
  explicit Machine(const Trace& trace);

  // Executes whatever can be, but stops each agent given before the action given. Returns the actions done,
  // in order, if all of these agents have arrived; else empty. Only for cells of which no action can take
  // away what another waits for: the end does not depend on the order of execution.
  std::optional<std::vector<uint32_t>> run(const std::map<AgentId, uint32_t>& stops) const;

 private:
  const Trace& trace_;
  std::vector<std::vector<uint32_t>> agents_;  // actions of each
  struct Task {
    AgentId submitter = 0;
    uint32_t blocks = 0;
    std::vector<TaskNo> after;
  };
  std::vector<Task> tasks_;
  friend class MachineRun;
};

}  // namespace tilewire::check
