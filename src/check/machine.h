// One run's actions as a program of their own: each agent's actions in their order, to be carried out again
// in another one. Good for programs in which no value that depends on the schedule decides anything, so that
// every schedule has the same actions.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "check/watch.h"

namespace tilewire::check {

class Machine {
 public:
  explicit Machine(const Trace& trace);

  // Carries out whatever can be, but stops each agent given before the action given. The actions done, in
  // order, if all of these agents have arrived; nothing otherwise. Only for cells of which no action can take
  // away what another waits for: the end does not depend on who goes first.
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
