#include "check/cores.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilewire::check {
namespace {

// Tasks that always end before a task starts, besides those that its submitter waited for.
class TaskOrder {
 public:
  TaskOrder(const interp::World& world, const Trace& trace) : world_(world) {
    for (const Action& action : trace) {
      if (action.kind != Action::Kind::Submit) continue;
      std::set<TaskNo>& before = before_[action.task];
      for (TaskNo earlier : action.after) add(before, earlier);
      if (const TaskNo parent = submitter_of(action.task); parent != interp::no_task) {
        const std::set<TaskNo>& known = before_[parent];
        before.insert(known.begin(), known.end());
      }
    }
  }
  // A task has ended only when those that it submitted have.
  bool always(TaskNo earlier, TaskNo later) const {
    if (world_.task(earlier).call < world_.task(later).call) return true;
    const auto before = before_.find(later);
    if (before == before_.end()) return false;
    for (TaskNo task = earlier; task != interp::no_task; task = submitter_of(task)) {
      if (before->second.count(task)) return true;
    }
    return false;
  }

 private:
  void add(std::set<TaskNo>& before, TaskNo earlier) {
    const auto known = before_.find(earlier);
    before.insert(earlier);
    if (known != before_.end()) before.insert(known->second.begin(), known->second.end());
  }
  TaskNo submitter_of(TaskNo task) const { return world_.agent(world_.task(task).submitter).task; }

  const interp::World& world_;
  std::map<TaskNo, std::set<TaskNo>> before_;
};

}  // namespace

int64_t most_blocks(const interp::World& world, const Trace& trace) {
  constexpr size_t most_tasks = 2000;  // of which the order is looked at
  std::map<TaskNo, int64_t> blocks;
  for (AgentId id = 0; id < world.agent_count(); ++id) {
    const interp::Agent& agent = world.agent(id);
    const bool takes_core = agent.level == interp::CodeLevel::Kernel && agent.task != interp::no_task &&
                            !world.task(agent.task).code->defers;
    if (takes_core) ++blocks[agent.task];
  }
  // Tasks of a chain come one after the other: no more blocks of it run at once than its largest task has.
  struct Chain {
    TaskNo last;
    int64_t blocks;
  };
  std::map<int, std::vector<Chain>> chains;
  const bool few = blocks.size() <= most_tasks;
  const TaskOrder order(world, few ? trace : Trace());
  for (const auto& [task, count] : blocks) {
    std::vector<Chain>& own = chains[world.task(task).rank];
    const TaskNo next = task;
    auto chain = std::find_if(own.begin(), own.end(),
                              [&](const Chain& c) { return few && order.always(c.last, next); });
    if (chain == own.end()) {
      own.push_back({task, count});
    } else {
      *chain = {task, std::max(chain->blocks, count)};
    }
  }
  int64_t most = 0;
  for (const auto& [rank, own] : chains) {
    int64_t sum = 0;
    for (const Chain& chain : own) sum += chain.blocks;
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace tilewire::check
