#include "interp/agent_keys.h"

namespace tilewire::interp {

void AgentKeys::update(const World& world) {
  for (auto number = static_cast<TaskNo>(tasks_.size()); number < world.task_count(); ++number) {
    const Task& task = world.task(number);
    const Agent& submitter = world.agent(task.submitter);
    if (submitter.level == CodeLevel::Host) {
      const int32_t dispatch = dispatches_[{task.call, task.rank}]++;
      tasks_.push_back({dispatch, task.code->level == CodeLevel::Kernel ? 0 : -1, task.call});
    } else {
      const int32_t dispatch = submitter.task == no_task ? 0 : tasks_[submitter.task].dispatch;
      tasks_.push_back({dispatch, submitted_[task.submitter]++, task.call});
    }
  }
  for (; seen_ < world.agent_count(); ++seen_) {
    if (world.agent(seen_).flight) continue;
    if (auto key = key_of(world, seen_)) ids_.emplace(*key, seen_);
  }
}

std::optional<AgentKey> AgentKeys::key_of(const World& world, AgentId id) const {
  const Agent& agent = world.agent(id);
  if (agent.level == CodeLevel::Host || agent.flight) return std::nullopt;
  if (agent.task == no_task) return AgentKey{agent.rank, 0, -1, 0};
  const TaskKey& task = tasks_[agent.task];
  return AgentKey{agent.rank, task.dispatch, task.task, agent.block, task.call};
}

std::optional<AgentId> AgentKeys::find(const AgentKey& key) const {
  auto found = ids_.find(key);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::string function_of(const World& world, AgentId id) {
  const Agent& agent = world.agent(id);
  if (agent.task != no_task) return world.task(agent.task).code->name;
  return agent.frames.empty() ? "" : agent.frames.front().code->name;
}

}  // namespace tilewire::interp
