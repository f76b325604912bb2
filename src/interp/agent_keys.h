// Agents of a world in terms that hold in every schedule, and in compiled code: see support/schedule.h. A
// kernel that the host function dispatches is task 0 of its dispatch, as if an orchestration function that
// does nothing else had submitted it.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "interp/world.h"
#include "support/schedule.h"

namespace tilewire::interp {

class AgentKeys {
 public:
  // Takes in what has happened in the world since the last time. It must be the same one every time.
  void update(const World& world);

  // Nothing for the host function, and for remote writes under way.
  std::optional<AgentKey> key_of(const World& world, AgentId id) const;
  std::optional<AgentId> find(const AgentKey& key) const;
  // All that have been there, in the order of their keys.
  const std::map<AgentKey, AgentId>& all() const { return ids_; }

 private:
  struct TaskKey {
    int32_t dispatch, task, call;
  };
  std::vector<TaskKey> tasks_;                         // by number
  std::map<std::pair<int, int>, int32_t> dispatches_;  // of each call and rank
  std::map<AgentId, int32_t> submitted_;               // by each orchestration function
  std::map<AgentKey, AgentId> ids_;
  AgentId seen_ = 0;
};

// Of the function, or scope, that an agent runs.
std::string function_of(const World& world, AgentId id);

}  // namespace tilewire::interp
