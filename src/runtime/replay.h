// Follows a schedule that the checker found (support/schedule.h), on one thread, one agent at a time.
//
// Orchestration functions and blocks stop before and after every event: the functions of abi::Api that are
// events call `before` and `behind`. The worker calls `step`, which chooses the next agent. So work between
// two events is deferred until the later one, and happens in one order. When all steps have been taken, the
// rest runs in turns, one event at a time, and is the same in every run too.
//
// Compiled code may have tasks that the source has not: orchestration functions that only call a kernel,
// ops on tensors that became kernels. They are not in the schedule, and run whenever another agent waits
// for them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "abi/abi.h"
#include "runtime/failure.h"
#include "runtime/polls.h"
#include "support/schedule.h"

namespace tilewire::runtime {

class Job;
class Run;
class Worker;
struct BlockContext;
struct Task;

// The event that an agent is stopped before.
struct ReplayStop {
  ScheduleEvent event = ScheduleEvent::Start;
  const int32_t* cell = nullptr;
  int64_t expected = 0;  // of an update that adds: what
  uint32_t cmp = 0;
  uint32_t site = 0;
  bool adds = false;  // of an update; else it compares
  bool wide = false;  // the cell is an INT64

  int64_t found() const;
  // It can happen, but only as a look: a failing test, an update that does not change the cell.
  bool is_vain() const;
};

struct ReplayAgent {
  enum class State : uint8_t {
    New,      // has not started
    Between,  // stopped after an event
    Before,   // stopped before `stop`
    Running,  // or waits for tasks
    Ended,
  };
  AgentKey key;
  State state = State::New;
  bool free = false;  // not in the schedule, and without a counterpart in the source
  bool takes_core = false;
  Job* job = nullptr;
  ReplayStop stop = {};
  std::vector<Look> repeats = {};   // of a polling loop: what must change before it continues
  int32_t submitted = 0;            // tasks, of those that have numbers
  bool polls = false;               // it is in a loop that polls, and only looks at cells
  bool issues = false;              // the notify it is stopped before lands later
  std::vector<uint32_t> used = {};  // sites of what it has used, or left to a free task, since its last event
  const std::vector<uint32_t>* steps = nullptr;  // of the schedule, its own; null: none
  size_t next_step = 0;
};

class Replay {
 public:
  Replay(Run& run, const Schedule& schedule);

  // Takes one step, on the worker's stack. Returns false if no agent can take one.
  bool step(Worker& worker);

  // On the fiber of an agent. They return when it is the agent's turn.
  abi::Status before(BlockContext& context, const ReplayStop& stop);
  abi::Status behind(BlockContext& context);
  void ended(Job& job);

  // Events that are nothing but these two.
  abi::Status wait(BlockContext& context, const ReplayStop& stop, int32_t* seen);
  abi::Status test(BlockContext& context, const ReplayStop& stop, int32_t* held);
  abi::Status look(BlockContext& context, const abi::HookEvent& event);
  // A notify is about to happen. Returns true if the schedule lets it land later, which is then arranged.
  bool keeps(BlockContext& context, int32_t* cell, int32_t value, abi::NotifyKind kind);
  // An orchestration function uses an element: it has waited for the tasks that it had to.
  void note_use(BlockContext& context, uint32_t site);
  // A task is about to be submitted; `number` is that in its key.
  abi::Status submit(BlockContext& context, uint32_t site, int32_t* number);

 private:
  using State = ReplayAgent::State;
  // A task whose predecessors have ended, with blocks that have not started.
  struct Ready {
    Task* task;
    int64_t next = 0;         // all before it have
    std::set<int64_t> early;  // after it
  };

  // A notify that was issued and has not landed.
  struct Kept {
    AgentKey issuer;
    int32_t* cell;
    int32_t value;
    abi::NotifyKind kind;
  };

  void collect(Worker& worker);
  void add_orchestration(Job& job);
  ReplayAgent* find(const AgentKey& key);
  void resume(Worker& worker, ReplayAgent& agent);
  void start_block(Worker& worker, Ready& ready, int64_t block);
  bool unwind(Worker& worker);

  // The schedule.
  bool follows() const { return at_ < schedule_.steps.size(); }
  const ScheduleStep* next_event(ReplayAgent& agent) const;
  void follow(Worker& worker);
  bool follow_start(Worker& worker, const AgentKey& key);
  void follow_event(Worker& worker, ReplayAgent& agent);
  void follow_landing(Worker& worker, const AgentKey& key);
  bool is_cell(const ScheduleStep& step, const int32_t* cell) const;
  bool matches(const ScheduleStep& step, const ReplayStop& stop) const;
  bool has_used(const ReplayAgent& agent, const ScheduleStep& step) const;
  bool run_free(Worker& worker);
  void expect_stop(Worker& worker);
  void refuse(Worker& worker, const std::string& why);

  // What comes after it.
  bool can_perform(const ReplayAgent& agent) const;
  bool has_core(const Task& task) const;
  static int64_t cores_to_start(const Task& task);
  bool turn(Worker& worker);
  bool turn_of_orchestration(Worker& worker);
  bool turn_of_block(Worker& worker);
  void take_turn(Worker& worker, ReplayAgent& agent);
  bool polls_in_vain(const ReplayAgent& agent) const;
  void report_deadlock(Worker& worker);

  Run& run_;
  const Schedule& schedule_;
  size_t at_ = 0;
  std::map<AgentKey, std::vector<uint32_t>> steps_;
  std::set<std::pair<int32_t, int32_t>> passed_through_;  // rank, dispatch: kernels that the host dispatches
  std::map<AgentKey, ReplayAgent> agents_;
  std::map<AgentKey, Ready> ready_;  // of block 0
  std::map<int32_t, int64_t> busy_;  // cores of each rank
  std::vector<Kept> kept_;           // in the order they were issued
  std::optional<AgentKey> last_;
  int32_t free_tasks_ = 0;
  uint64_t vain_tests_ = 0;  // in a row
  uint64_t last_looks_ = 0;  // of polls, after the schedule
  bool stop_checked_ = false;
};

}  // namespace tilewire::runtime
