#include "runtime/replay.h"

#include <algorithm>
#include <utility>

#include "runtime/run_state.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::runtime {
namespace {

// Numbers of tasks that the schedule knows nothing of begin here.
constexpr int32_t free_numbers = 1 << 30;
// Blocks that are in the middle of something when another one starts.
constexpr size_t most_started = 1024;
// Consecutive failed tests of all agents together, each, after which it is a deadlock.
constexpr uint64_t most_vain_tests = 10'000;

AgentKey block_zero(const AgentKey& key) {
  return {key.rank, key.dispatch, key.task, 0};
}

}  // namespace

int64_t ReplayStop::found() const {
  return element_value(cell, wide);
}

bool ReplayStop::is_vain() const {
  if (event == ScheduleEvent::Test) return !holds(cell_value(cell), cmp, static_cast<int32_t>(expected));
  return event == ScheduleEvent::Update && (adds ? expected == 0 : found() != expected);
}

Replay::Replay(Run& run, const Schedule& schedule) : run_(run), schedule_(schedule) {
  for (uint32_t i = 0; i < schedule.steps.size(); ++i) {
    steps_[schedule.agents[schedule.steps[i].agent].key].push_back(i);
  }
  for (const auto& [key, steps] : steps_) {
    if (!steps_.count({key.rank, key.dispatch, -1, 0})) passed_through_.emplace(key.rank, key.dispatch);
  }
}

// --- on fibers

abi::Status Replay::before(BlockContext& context, const ReplayStop& stop) {
  if (run_.aborted()) return abi::aborted;
  ReplayAgent& agent = *context.job->replay;
  if (agent.free) return abi::ok;
  const bool looks = stop.event == ScheduleEvent::Look || stop.event == ScheduleEvent::Test;
  agent.polls = agent.polls && (looks || stop.event == ScheduleEvent::Wait);
  agent.stop = stop;
  agent.used.clear();
  agent.state = State::Before;
  context.job->leave(Job::After::Stop);
  agent.repeats.clear();
  return run_.aborted() ? abi::aborted : abi::ok;
}

abi::Status Replay::behind(BlockContext& context) {
  if (run_.aborted()) return abi::aborted;
  ReplayAgent& agent = *context.job->replay;
  if (agent.free) return abi::ok;
  agent.state = State::Between;
  context.job->leave(Job::After::Stop);
  return run_.aborted() ? abi::aborted : abi::ok;
}

void Replay::ended(Job& job) {
  ReplayAgent& agent = *job.replay;
  agent.state = State::Ended;
  agent.job = nullptr;
  if (agent.takes_core) --busy_[agent.key.rank];
}

abi::Status Replay::wait(BlockContext& context, const ReplayStop& stop, int32_t* seen) {
  if (abi::Status status = before(context, stop)) return status;
  *seen = cell_value(stop.cell);
  return behind(context);
}

abi::Status Replay::test(BlockContext& context, const ReplayStop& stop, int32_t* held) {
  if (abi::Status status = before(context, stop)) return status;
  *held = !stop.is_vain();
  return behind(context);
}

abi::Status Replay::look(BlockContext& context, const abi::HookEvent& event) {
  if (!run_.windows || !run_.windows->waiter_word(event.address)) return abi::ok;  // a tensor's element
  if (event.kind == abi::HookKind::Looked) return behind(context);
  const ReplayStop stop{
      .event = ScheduleEvent::Look, .cell = static_cast<const int32_t*>(event.address), .site = event.site};
  return before(context, stop);
}

bool Replay::keeps(BlockContext& context, int32_t* cell, int32_t value, abi::NotifyKind kind) {
  ReplayAgent& agent = *context.job->replay;
  if (!std::exchange(agent.issues, false)) return false;
  kept_.push_back({agent.key, cell, value, kind});
  return true;
}

void Replay::note_use(BlockContext& context, uint32_t site) {
  std::vector<uint32_t>& used = context.job->replay->used;
  if (used.empty() || used.back() != site) used.push_back(site);
}

abi::Status Replay::submit(BlockContext& context, uint32_t site, int32_t* number) {
  ReplayAgent& agent = *context.job->replay;
  const ReplayStop stop{.event = ScheduleEvent::Submit, .site = site};
  if (follows() && !agent.free) {
    const abi::Site& place = run_.module->sites[site];
    auto is_here = [&](const ScheduleStep& step) {
      const std::pair at(place.line, place.column), begin(step.line, step.column);
      if (step.end_line == 0) return at == begin;
      return at >= begin && at < std::pair(step.end_line, step.end_column);
    };
    const ScheduleStep* next = next_event(agent);
    const ScheduleStep& now = schedule_.steps[at_];
    const bool known = next ? next->event == ScheduleEvent::Submit && is_here(*next) : !is_here(now);
    if (!known) {
      *number = free_numbers + free_tasks_++;
      agent.used.push_back(site);
      return abi::ok;
    }
  }
  if (abi::Status status = before(context, stop)) return status;
  *number = agent.submitted++;
  return abi::ok;
}

// --- agents

ReplayAgent* Replay::find(const AgentKey& key) {
  auto found = agents_.find(key);
  return found == agents_.end() ? nullptr : &found->second;
}

void Replay::collect(Worker& worker) {
  while (Item item = worker.take_ready()) {
    if (Task* task = item.task()) {
      if (task->kind == TaskKind::Kernel && task->blocks == 0) {
        worker.start(*task);
      } else {
        ready_.emplace(task->key, Ready{task, 0, {}});
      }
    } else if (ReplayAgent* agent = item.job()->replay) {
      agent->state = State::Between;
    } else {
      add_orchestration(*item.job());
    }
  }
}

void Replay::add_orchestration(Job& job) {
  const AgentKey key{job.context.rank, job.context.owner->dispatch_number(), -1, 0};
  ReplayAgent& agent = agents_[key];
  agent = {.key = key, .job = &job};
  agent.free = passed_through_.count({key.rank, key.dispatch}) != 0;
  auto steps = steps_.find(key);
  if (steps != steps_.end()) agent.steps = &steps->second;
  job.replay = &agent;
}

void Replay::start_block(Worker& worker, Ready& ready, int64_t block) {
  Task& task = *ready.task;
  if (block == ready.next) {
    do {
      ++ready.next;
    } while (ready.early.erase(ready.next));
  } else {
    ready.early.insert(block);
  }
  if (task.takes_core) busy_[task.key.rank] += cores_to_start(task);
  ++task.next_block;  // what is left when the run is stopped
  AgentKey key = task.key;
  if (task.next_block == (task.kind == TaskKind::Kernel ? task.blocks : 1)) ready_.erase(key);
  Job* job = worker.prepare_block(task, block);
  if (!job) return;
  key.block = block;
  ReplayAgent& agent = agents_[key];
  agent = {.key = key, .state = State::Between, .job = job};
  agent.free = key.task >= free_numbers;
  agent.takes_core = task.takes_core;
  auto steps = steps_.find(key);
  if (steps != steps_.end()) agent.steps = &steps->second;
  job->replay = &agent;
}

void Replay::resume(Worker& worker, ReplayAgent& agent) {
  agent.state = State::Running;
  worker.resume(*agent.job);
  if (agent.state == State::Ended) agents_.erase(AgentKey(agent.key));
  collect(worker);
}

bool Replay::step(Worker& worker) {
  collect(worker);
  if (run_.aborted()) return unwind(worker);
  if (follows()) {
    follow(worker);
    return true;
  }
  for (const Kept& notify : kept_) write_cell(notify.cell, notify.value, notify.kind);
  kept_.clear();
  if (schedule_.ends_stuck() && !stop_checked_) {
    expect_stop(worker);
    return true;
  }
  if (turn(worker)) return true;
  if (run_.finished()) return false;
  if (run_.unthrottle(worker)) return true;
  report_deadlock(worker);
  return true;
}

// Everybody returns; what has not started ends without.
bool Replay::unwind(Worker& worker) {
  for (auto& [key, agent] : agents_) {
    if (agent.state == State::Running) continue;
    resume(worker, agent);
    return true;
  }
  if (!ready_.empty()) {
    Task& task = *ready_.begin()->second.task;
    ready_.erase(ready_.begin());
    worker.start(task);
    return true;
  }
  return !run_.finished() && run_.unthrottle(worker);
}

// --- the schedule

const ScheduleStep* Replay::next_event(ReplayAgent& agent) const {
  if (!agent.steps) return nullptr;
  const std::vector<uint32_t>& own = *agent.steps;
  while (agent.next_step < own.size() && own[agent.next_step] < at_) ++agent.next_step;
  for (size_t i = agent.next_step; i < own.size(); ++i) {
    const ScheduleStep& step = schedule_.steps[own[i]];
    if (step.event != ScheduleEvent::Access) return &step;
  }
  return nullptr;
}

void Replay::follow(Worker& worker) {
  const ScheduleStep& step = schedule_.steps[at_];
  const AgentKey& key = schedule_.agents[step.agent].key;
  if (step.event == ScheduleEvent::Start) {
    if (follow_start(worker, key)) {
      ++at_;
    } else if (!run_free(worker)) {
      refuse(worker, find(key) ? "it has started already" : "there is no such task or block yet");
    }
    return;
  }
  if (step.event == ScheduleEvent::Land) return follow_landing(worker, key);
  ReplayAgent* agent = find(key);
  if (!agent || agent->state == State::New)
    return refuse(worker, agent ? "it has not started" : "it is not there");
  switch (agent->state) {
    case State::Between:
      return resume(worker, *agent);
    case State::Before:
      return follow_event(worker, *agent);
    default:
      if (run_free(worker)) return;
      // It waits for tasks. If the use lies before that it has happened.
      if (step.event != ScheduleEvent::Access || !has_used(*agent, step)) {
        return refuse(worker, "it waits for tasks that have not ended");
      }
      ++at_;
  }
}

bool Replay::has_used(const ReplayAgent& agent, const ScheduleStep& step) const {
  return std::any_of(agent.used.begin(), agent.used.end(), [&](uint32_t site) {
    const abi::Site& place = run_.module->sites[site];
    return place.line == step.line && place.column == step.column;
  });
}

bool Replay::follow_start(Worker& worker, const AgentKey& key) {
  ReplayAgent* agent = find(key);
  if (agent) {
    if (agent->state != State::New) return false;
    agent->state = State::Between;
    return true;
  }
  auto ready = ready_.find(block_zero(key));
  if (ready == ready_.end()) return false;
  const Task& task = *ready->second.task;
  const int64_t blocks = task.kind == TaskKind::Kernel ? task.blocks : 1;
  if (key.block >= blocks || key.block < ready->second.next || ready->second.early.count(key.block))
    return false;
  start_block(worker, ready->second, key.block);
  return true;
}

bool Replay::is_cell(const ScheduleStep& step, const int32_t* cell) const {
  return run_.windows ? run_.windows->is_cell(cell, step) : step.cell.empty();
}

bool Replay::matches(const ScheduleStep& step, const ReplayStop& stop) const {
  const bool issues = step.event == ScheduleEvent::Issue && stop.event == ScheduleEvent::Notify;
  if (step.event != stop.event && !issues) return false;
  return !uses_cell(step.event) || is_cell(step, stop.cell);
}

void Replay::follow_landing(Worker& worker, const AgentKey& key) {
  const ScheduleStep& step = schedule_.steps[at_];
  auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& notify) {
    return notify.issuer == key && is_cell(step, notify.cell);
  });
  if (found == kept_.end()) return refuse(worker, "it has not been issued");
  write_cell(found->cell, found->value, found->kind);
  kept_.erase(found);
  ++at_;
}

// The agent is before an event.
void Replay::follow_event(Worker& worker, ReplayAgent& agent) {
  const ScheduleStep& step = schedule_.steps[at_];
  const ReplayStop& stop = agent.stop;
  if (step.event == ScheduleEvent::Access) {
    while (run_free(worker) && !run_.aborted()) {  // it may have left the use to a task
    }
    ++at_;
    return;
  }
  if (!matches(step, stop)) {
    // Compiled code does not look if the value seen is unused.
    if (step.event == ScheduleEvent::Look) {
      ++at_;
      return;
    }
    std::string at = std::string("it comes to another event, ") + name_of(stop.event);
    const abi::Site& site = run_.module->sites[stop.site];
    if (stop.site != 0) at += " on line " + std::to_string(site.line);
    if (stop.cell && run_.windows) at += ", " + run_.windows->name_of(stop.cell);
    return refuse(worker, at);
  }
  const bool waits = stop.event == ScheduleEvent::Wait;
  if (waits || stop.event == ScheduleEvent::Test || stop.event == ScheduleEvent::Update) {
    const bool held = waits ? holds(cell_value(stop.cell), stop.cmp, static_cast<int32_t>(stop.expected))
                            : stop.adds || !stop.is_vain();
    if (held != (waits || step.held)) return refuse(worker, "the cell is " + std::to_string(stop.found()));
  }
  agent.issues = step.event == ScheduleEvent::Issue;
  ++at_;
  resume(worker, agent);
}

// Something that the schedule knows nothing of; false: there is nothing of that kind.
bool Replay::run_free(Worker& worker) {
  for (auto& [key, agent] : agents_) {
    if (!agent.free || agent.state == State::Running) continue;
    resume(worker, agent);
    return true;
  }
  for (auto& [key, ready] : ready_) {
    if (key.task < free_numbers) continue;
    start_block(worker, ready, ready.next);
    return true;
  }
  return false;
}

// Every agent runs as far as it can without an event; then possibly none is runnable.
void Replay::expect_stop(Worker& worker) {
  if (run_free(worker)) return;
  for (auto& [key, agent] : agents_) {
    if (agent.state == State::Between) return resume(worker, agent);
  }
  // Compiled code may need another round to see that a poll repeats itself: values that nobody uses any more
  // count there.
  for (auto& [key, agent] : agents_) {
    const bool looks = agent.stop.event == ScheduleEvent::Look || agent.stop.event == ScheduleEvent::Test;
    if (agent.state != State::Before || !agent.polls || !looks || !can_perform(agent)) continue;
    if (++last_looks_ <= most_vain_tests) return resume(worker, agent);
  }
  stop_checked_ = true;
  bool goes_on = false;
  for (const auto& [key, agent] : agents_) {
    const bool tests = agent.stop.event == ScheduleEvent::Test || agent.stop.event == ScheduleEvent::Update;
    // An orchestration function ends after its tasks.
    const bool ends = agent.stop.event == ScheduleEvent::End && key.task < 0;
    if (agent.state == State::Before && ends) continue;
    const bool can = agent.state == State::Before && can_perform(agent);
    goes_on |= agent.state == State::New || (can && !(tests && agent.stop.is_vain()));
  }
  for (const auto& [key, ready] : ready_) goes_on |= has_core(*ready.task);
  if (!goes_on) return report_deadlock(worker);
  Failure failure;
  failure.cause = Cause::Row;
  failure.row = diag::run_replay_goes_on;
  run_.fail(failure, &worker);
}

void Replay::refuse(Worker& worker, const std::string& why) {
  const ScheduleStep& step = schedule_.steps[at_];
  Failure failure;
  failure.cause = Cause::Row;
  failure.row = diag::run_replay_step;
  failure.words = {std::to_string(at_ + 1),
                   text_of(schedule_, step, run_.windows ? run_.windows->name_of(step) : step.cell), why};
  run_.fail(failure, &worker);
}

// --- after it

bool Replay::can_perform(const ReplayAgent& agent) const {
  const ReplayStop& stop = agent.stop;
  if (!agent.repeats.empty() && !any_holds(agent.repeats)) return false;
  return stop.event != ScheduleEvent::Wait ||
         holds(cell_value(stop.cell), stop.cmp, static_cast<int32_t>(stop.expected));
}

bool Replay::has_core(const Task& task) const {
  if (schedule_.cores == 0 || !task.takes_core) return true;
  auto busy = busy_.find(task.key.rank);
  return (busy == busy_.end() ? 0 : busy->second) + cores_to_start(task) <= schedule_.cores;
}

int64_t Replay::cores_to_start(const Task& task) {
  return !task.together ? 1 : task.next_block == 0 ? task.blocks : 0;
}

// Orchestration functions first: then it makes no difference whether a kernel has one.
bool Replay::turn(Worker& worker) {
  return run_free(worker) || turn_of_orchestration(worker) || turn_of_block(worker);
}

bool Replay::turn_of_orchestration(Worker& worker) {
  for (auto& [key, agent] : agents_) {
    if (key.task >= 0 || agent.state == State::Running) continue;
    if (agent.state == State::Before && !can_perform(agent)) continue;
    take_turn(worker, agent);
    return true;
  }
  return false;
}

bool Replay::turn_of_block(Worker& worker) {
  // In the order of keys, beginning after the one that was last.
  auto place = [&](const AgentKey& key) { return std::pair(last_ && key <= *last_, key); };
  std::optional<AgentKey> next;
  ReplayAgent* chosen = nullptr;
  Ready* starts = nullptr;
  size_t started = 0;
  for (auto& [key, agent] : agents_) {
    if (key.task < 0) continue;
    ++started;
    const bool can = agent.state == State::Between || (agent.state == State::Before && can_perform(agent));
    if (!can || (next && place(*next) < place(key)) || polls_in_vain(agent)) continue;
    next = key;
    chosen = &agent;
  }
  for (auto& [zero, ready] : ready_) {
    if (!has_core(*ready.task) || (chosen && started >= most_started)) continue;
    AgentKey key = zero;
    key.block = ready.next;
    if (next && place(*next) < place(key)) continue;
    next = key;
    starts = &ready;
  }
  if (!next) return false;
  last_ = next;
  if (starts) {
    vain_tests_ = 0;
    start_block(worker, *starts, starts->next);
  } else {
    take_turn(worker, *chosen);
  }
  return true;
}

// Runs to its next event and, if that can happen, past it.
void Replay::take_turn(Worker& worker, ReplayAgent& agent) {
  const AgentKey key = agent.key;
  if (agent.state == State::New) {
    agent.state = State::Between;
    return;
  }
  if (agent.state == State::Between) resume(worker, agent);
  ReplayAgent* same = run_.aborted() ? nullptr : find(key);
  if (!same || same->state != State::Before || !can_perform(*same)) return;
  const ReplayStop& stop = same->stop;
  const bool vain = stop.event == ScheduleEvent::Look || stop.is_vain();
  vain_tests_ = vain ? vain_tests_ + 1 : 0;
  resume(worker, *same);
}

// It is before or after a look, and for long all agents have only looked.
bool Replay::polls_in_vain(const ReplayAgent& agent) const {
  const ReplayStop& stop = agent.stop;
  const bool looks = stop.event == ScheduleEvent::Look || stop.event == ScheduleEvent::Test ||
                     (stop.event == ScheduleEvent::Update && stop.is_vain());
  if (!looks) return false;
  return vain_tests_ > most_vain_tests * agents_.size();
}

void Replay::report_deadlock(Worker& worker) {
  std::vector<Blocked> all;
  for (const auto& [key, agent] : agents_) {
    const ReplayStop& stop = agent.stop;
    if (!stop.cell || (agent.state != State::Before && !polls_in_vain(agent))) continue;
    const Waiter waiter{.cell = stop.cell,
                        .expected = static_cast<int32_t>(stop.expected),
                        .cmp = stop.cmp,
                        .site = stop.site,
                        .job = agent.job};
    Blocked& blocked = all.emplace_back(run_.blocked(waiter));
    blocked.seen = stop.found();
    if (stop.event == ScheduleEvent::Update) blocked.does = Blocked::Does::Update;
    if (stop.event == ScheduleEvent::Test) blocked.does = Blocked::Does::Test;
    if (stop.event == ScheduleEvent::Look) blocked.does = Blocked::Does::Read;
    if (agent.job->task && agent.job->task->kind == TaskKind::Deferred) {
      auto known = std::find_if(schedule_.agents.begin(), schedule_.agents.end(),
                                [&key = key](const ScheduleAgent& each) { return each.key == key; });
      blocked.kernel = known == schedule_.agents.end() ? "" : known->function;
    }
  }
  for (const auto& [key, ready] : ready_) {
    const Task& task = *ready.task;
    if (has_core(task)) continue;
    for (int64_t block = ready.next; block < task.blocks && all.size() < most_started; ++block) {
      if (ready.early.count(block)) continue;
      all.push_back({.rank = key.rank,
                     .block = block,
                     .blocks = task.blocks,
                     .kernel = task.kernel->name,
                     .site = task.kernel->site,
                     .cell = "",
                     .for_cores = cores_to_start(task),
                     .cores = schedule_.cores});
    }
  }
  run_.fail(deadlock_of(std::move(all)), &worker);
}

}  // namespace tilewire::runtime
