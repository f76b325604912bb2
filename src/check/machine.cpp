#include "check/machine.h"

#include <algorithm>

namespace tilewire::check {

Machine::Machine(const Trace& trace) : trace_(trace) {
  for (uint32_t i = 0; i < trace.size(); ++i) {
    const Action& action = trace[i];
    if (action.task != interp::no_task && action.task >= tasks_.size()) tasks_.resize(action.task + 1);
    if (action.kind == Action::Kind::TaskEnd) continue;
    if (action.agent >= agents_.size()) agents_.resize(action.agent + 1);
    agents_[action.agent].push_back(i);
    if (action.kind == Action::Kind::Submit) {
      tasks_[action.task].submitter = action.agent;
      tasks_[action.task].after = action.after;
    }
    if (action.kind == Action::Kind::Start && action.task != interp::no_task) ++tasks_[action.task].blocks;
  }
}

class MachineRun {
 public:
  explicit MachineRun(const Machine& machine, const std::map<AgentId, uint32_t>& stops)
      : m_(machine),
        stops_(stops),
        at_(machine.agents_.size()),
        open_(machine.agents_.size()),
        blocks_(machine.tasks_.size()),
        submitted_(machine.tasks_.size()),
        ended_(machine.tasks_.size()) {
    for (size_t t = 0; t < blocks_.size(); ++t) blocks_[t] = machine.tasks_[t].blocks;
    for (const auto& [agent, action] : stops) put_last(agent, action);
  }

  std::optional<std::vector<uint32_t>> go() {
    for (AgentId agent = 0; agent < at_.size(); ++agent) queue_.push_back(agent);
    while (!queue_.empty()) {
      AgentId agent = queue_.back();
      queue_.pop_back();
      while (step(agent)) {
      }
    }
    for (const auto& [agent, action] : stops_) {
      const auto& all = actions_of(agent);
      if (at_[agent] >= all.size() || all[at_[agent]] != action) return std::nullopt;
    }
    return std::move(done_);
  }

 private:
  const std::vector<uint32_t>& actions_of(AgentId agent) const {
    auto found = reordered_.find(agent);
    return found == reordered_.end() ? m_.agents_[agent] : found->second;
  }

  // Of notifies that are one release, in no order, the one to stop at is done after the others.
  void put_last(AgentId agent, uint32_t action) {
    auto joint = [&](uint32_t i) {
      return i < m_.trace_.size() && m_.trace_[i].kind == Action::Kind::Signal && m_.trace_[i].joint != 0;
    };
    if (m_.trace_[action].kind != Action::Kind::Signal || !joint(action + 1)) return;
    std::vector<uint32_t>& all = reordered_[agent] = m_.agents_[agent];
    for (auto at = std::find(all.begin(), all.end(), action);
         std::next(at) != all.end() && joint(*std::next(at)); ++at) {
      std::iter_swap(at, std::next(at));
    }
  }

  bool ended(TaskNo task) {
    // A launch of no blocks ends when it may start.
    if (ended_[task]) return true;
    if (m_.tasks_[task].blocks != 0 || !submitted_[task]) return false;
    for (TaskNo earlier : m_.tasks_[task].after) {
      if (!ended(earlier)) return false;
    }
    ended_[task] = true;
    --open_[m_.tasks_[task].submitter];
    return true;
  }

  bool can(const Action& action) {
    switch (action.kind) {
      case Action::Kind::Start:
        if (action.task == interp::no_task) return true;
        if (!submitted_[action.task]) return false;
        for (TaskNo earlier : m_.tasks_[action.task].after) {
          if (!ended(earlier)) return false;
        }
        return true;
      case Action::Kind::Join:
        return ended(action.task);
      case Action::Kind::End:
        for (TaskNo child : children_[action.agent]) ended(child);
        return open_[action.agent] == 0;
      case Action::Kind::Wait:
        return action.test || holds(action.cmp, cells_[action.cell()], action.operand);
      default:
        return true;
    }
  }

  // Returns false if the agent is blocked.
  bool step(AgentId agent) {
    const auto& all = actions_of(agent);
    if (at_[agent] >= all.size()) return false;
    const uint32_t index = all[at_[agent]];
    auto stop = stops_.find(agent);
    if (stop != stops_.end() && stop->second == index) return false;
    const Action& action = m_.trace_[index];
    if (!can(action)) {
      if (action.kind == Action::Kind::Wait) {
        waiting_[action.cell()].push_back(agent);
      } else {
        for_tasks_.push_back(agent);
      }
      return false;
    }
    ++at_[agent];
    done_.push_back(index);
    act(action);
    return true;
  }

  void act(const Action& action) {
    switch (action.kind) {
      case Action::Kind::Submit:
        submitted_[action.task] = true;
        ++open_[action.agent];
        children_[action.agent].push_back(action.task);
        wake(for_tasks_);
        break;
      case Action::Kind::End:
        if (action.task == interp::no_task || --blocks_[action.task] != 0) break;
        ended_[action.task] = true;
        --open_[m_.tasks_[action.task].submitter];
        wake(for_tasks_);
        break;
      case Action::Kind::Signal: {
        int64_t& value = cells_[action.cell()];
        value = action.use == Use::CellSet ? action.operand : value + action.operand;
        wake(waiting_[action.cell()]);
        break;
      }
      default:
        break;
    }
  }

  void wake(std::vector<AgentId>& agents) {
    queue_.insert(queue_.end(), agents.begin(), agents.end());
    agents.clear();
  }

  const Machine& m_;
  const std::map<AgentId, uint32_t>& stops_;
  std::vector<size_t> at_;      // per agent
  std::vector<uint32_t> open_;  // per agent, tasks it submitted that have not ended
  std::vector<uint32_t> blocks_;
  std::vector<bool> submitted_, ended_;
  std::map<AgentId, std::vector<TaskNo>> children_;
  std::map<CellId, int64_t> cells_;
  std::map<CellId, std::vector<AgentId>> waiting_;
  std::vector<AgentId> for_tasks_, queue_;
  std::map<AgentId, std::vector<uint32_t>> reordered_;
  std::vector<uint32_t> done_;
};

std::optional<std::vector<uint32_t>> Machine::run(const std::map<AgentId, uint32_t>& stops) const {
  return MachineRun(*this, stops).go();
}

}  // namespace tilewire::check
