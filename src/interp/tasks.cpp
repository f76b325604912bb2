// Tasks: submission, order, blocks, completion.
#include <algorithm>

#include "interp/dimensions.h"
#include "interp/world.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

// Blocks of a launch that are agents at a time: enough for every program that synchronises its blocks, few
// enough for a launch of a million. More follow when these have ended or all wait.
constexpr int64_t launch_window = 1024;

// As the caller sees it again: pl.no_dep was about one argument of one call.
Value tracked(const Value& value) {
  const Tensor* tensor = value.tensor();
  if (!tensor || !tensor->untracked) return value;
  Tensor copy = *tensor;
  copy.untracked = false;
  return copy;
}

}  // namespace

std::vector<Value> World::entry_registers(const Code& code, const std::vector<Value>& args,
                                          const Frame* caller) const {
  std::vector<Value> registers = code.initial;
  for (size_t i = 0; i < args.size(); ++i) registers[code.params[i]] = args[i];
  if (!code.function) return registers;
  auto outside = [&](std::string_view name) -> std::optional<int64_t> {
    if (caller) {
      auto found = caller->code->symbols.find(name);
      const Scalar* value =
          found == caller->code->symbols.end() ? nullptr : caller->registers[found->second].scalar();
      if (value) return value->i;
    }
    auto found = options_.symbols.find(name);
    return found == options_.symbols.end() ? std::nullopt : std::optional(found->second);
  };
  auto dimensions = bind_dimensions(code, args, outside);
  for (const auto& [name, slot] : code.symbols) {
    auto found = dimensions.find(name);
    if (found == dimensions.end()) fail(diag::run_dimension_unknown, {name});
    registers[slot] = Scalar::of_int(DType::Index, found->second);
  }
  return registers;
}

std::vector<Value> World::arguments(const Frame& frame, const Site& site, int rank) const {
  std::vector<Value> args;
  for (Slot slot : site.args) {
    const Value& value = frame.registers[slot];
    const Tensor* tensor = value.tensor();
    if (tensor && tensor->window >= 0 && tensor->storage == no_storage && rank >= 0) {
      args.emplace_back(at_rank(*tensor, rank));
    } else {
      args.push_back(value);
    }
  }
  return args;
}

void World::call(AgentId id, const Instr& instr, EventSink* sink) {
  Agent& agent = agents_[id].write();
  const Site& site = *instr.site;
  Frame& frame = agent.frames.back();
  if (site.kind == Site::Kind::Plain) {
    std::vector<Value> args = arguments(frame, site, -1);
    Frame inner{site.callee, 0, instr.dst, entry_registers(*site.callee, args, &frame)};
    ++frame.pc;
    agent.frames.push_back(std::move(inner));
    return;
  }
  Task task;
  task.code = site.callee;
  task.where = instr.node;
  task.submitter = id;
  task.call = call_;
  task.rank = agent.rank;
  task.sync_start = site.sync_start;
  if (site.device != no_slot) {
    int64_t device = frame.registers[site.device].scalar()->i;
    if (device < 0 || device >= options_.ranks) {
      fail(diag::run_device, {site.callee->name, std::to_string(device), std::to_string(options_.ranks)});
    }
    task.rank = static_cast<int>(device);
  }
  if (site.blocks != no_slot) {
    task.blocks = frame.registers[site.blocks].scalar()->i;
    if (task.blocks < 0) fail(diag::run_block_count, {std::to_string(task.blocks)});
    if (task.blocks > 0) note_reached(frame);
    if (options_.rounds) note_rounds(frame, task.blocks, 1);
  }
  std::vector<Value> args = arguments(frame, site, site.kind == Site::Kind::Dispatch ? task.rank : -1);
  task.registers = entry_registers(*site.callee, args, &frame);
  if (site.kind == Site::Kind::Task) {
    task.rounds = agent.rounds;
    add_arguments(task, args, site.ordered);
  }
  if (site.kind == Site::Kind::Dispatch) note_dispatch(args, task.rank);
  TaskNo number = submit(id, std::move(task), dependencies(id, site), sink);
  give_results(id, instr, number, args);
  ++agents_[id].write().frames.back().pc;
}

void World::add_arguments(Task& task, const std::vector<Value>& args, bool ordered) const {
  if (task.code->defers) return;
  for (size_t i = 0; i < args.size(); ++i) {
    const Tensor* tensor = args[i].tensor();
    if (!tensor || tensor->storage == no_storage) continue;
    abi::Use use{.access = task.code->effects[i], .tracked = !tensor->untracked, .ordered = ordered};
    if (tensor->window >= 0) use.group = static_cast<uintptr_t>(windows_[tensor->window].group) + 1;
    task.arguments.push_back({use, tensor->storage, box_of(*tensor)});
  }
}

std::vector<TaskNo> World::dependencies(AgentId id, const Site& site) const {
  const Frame& frame = agents_[id]->top();
  std::vector<TaskNo> tasks;
  for (Slot slot : site.deps) {
    const Value& value = frame.registers[slot];
    if (const TaskHandle* handle = value.task()) {
      tasks.push_back(handle->task);
    } else if (const ArrayValue* array = value.array()) {
      for (int64_t element : array->elements) tasks.push_back(static_cast<TaskNo>(element));
    }
  }
  tasks.erase(std::remove(tasks.begin(), tasks.end(), no_task), tasks.end());
  return tasks;
}

namespace {

bool share_bytes(const TaskArgument& a, const TaskArgument& b) {
  return a.storage == b.storage && overlap(a.box, b.box);
}

}  // namespace

std::vector<TaskNo> World::users(int rank, const Tensor& region, bool writes) const {
  std::vector<TaskNo> found;
  if (rank < 0) return found;
  const TaskArgument element{{.access = writes ? abi::Writes : abi::Reads}, region.storage, box_of(region)};
  for (TaskNo number : rank_tasks_[rank]) {
    const auto& arguments = tasks_[number]->arguments;
    const bool uses = std::any_of(arguments.begin(), arguments.end(), [&](const TaskArgument& argument) {
      return abi::ordered_by_data(argument.use, element.use) && share_bytes(argument, element);
    });
    if (uses) found.push_back(number);
  }
  return found;
}

TaskNo World::submit(AgentId id, Task task, const std::vector<TaskNo>& deps, EventSink* sink) {
  const auto number = static_cast<TaskNo>(tasks_.size());
  const bool dispatch = agents_[id]->level == CodeLevel::Host;
  std::vector<TaskNo> after = deps;
  if (dispatch) {
    TaskNo& last = last_dispatch_[task.rank];
    if (last != no_task) after.push_back(last);
    last = number;
  } else {
    for (TaskNo earlier : rank_tasks_[task.rank]) {
      if (abi::must_follow(task, *tasks_[earlier], share_bytes)) after.push_back(earlier);
    }
    rank_tasks_[task.rank].push_back(number);
  }
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  if (!flights_.empty()) add_notifies(task.notifies, agents_[id]->notifies);
  for (TaskNo earlier : after) {
    if (!flights_.empty()) add_notifies(task.notifies, tasks_[earlier]->end_notifies);
    if (tasks_[earlier]->done) continue;
    tasks_[earlier].write().successors.push_back(number);
    ++task.pending;
  }
  if (dispatch) ++task.pending;  // until the host function has returned
  const bool free = task.pending == 0;
  const int rank = task.rank;
  const Node* where = task.where;
  tasks_.emplace_back(std::move(task));
  ++agents_[id].write().open_tasks;
  if (sink) {
    sink->on({.kind = Event::Kind::Submit,
              .agent = id,
              .task = number,
              .rank = rank,
              .after = after,
              .where = where});
  }
  if (dispatch) held_.push_back(number);
  if (free) launch_blocks(number, sink);
  return number;
}

void World::step_in(AgentId id, abi::ParallelStep step) {
  Agent& agent = agents_[id].write();
  agent.rounds.step(step);
  if (step == abi::ParallelStep::EnterStorage) agent.scopes.emplace_back();
  if (step == abi::ParallelStep::LeaveStorage) leave_storage_scope(id);
}

// Frees what was created in it: now, or when the tasks that take it have ended.
void World::leave_storage_scope(AgentId id) {
  Agent& agent = agents_[id].write();
  const std::vector<StorageId> created = std::move(agent.scopes.back());
  agent.scopes.pop_back();
  for (StorageId storage : created) {
    for (TaskNo number : rank_tasks_[agent.rank]) {
      const auto& arguments = tasks_[number]->arguments;
      const bool takes = std::any_of(arguments.begin(), arguments.end(), [&](const TaskArgument& argument) {
        return argument.storage == storage;
      });
      if (!takes || tasks_[number]->done) continue;
      tasks_[number].write().frees.push_back(storage);
      ++storages_[storage].users;
    }
    unuse(storage);
  }
}

void World::unuse(StorageId storage) {
  if (--storages_[storage].users == 0) storages_[storage].owned.reset();
}

void World::give_results(AgentId id, const Instr& instr, TaskNo task, const std::vector<Value>& args) {
  const Site& site = *instr.site;
  const Code& code = *site.callee;
  std::vector<Value> values;
  for (uint32_t i = 0; i < code.result_count; ++i) {
    int param = code.result_param[i];
    values.push_back(param >= 0 ? tracked(args[param]) : Value(Future{task, i}));
  }
  Frame& frame = agents_[id].write().frames.back();
  if (site.kind == Site::Kind::Dispatch) {
    // The host keeps the window itself, not one rank's copy of it.
    for (uint32_t i = 0; i < code.result_count; ++i) {
      int param = code.result_param[i];
      if (param >= 0) values[i] = tracked(frame.registers[site.args[param]]);
    }
  }
  if (site.task_id != no_slot) frame.registers[site.task_id] = TaskHandle{task};
  if (site.scope) {
    for (size_t i = 0; i < site.results.size(); ++i) frame.registers[site.results[i]] = values[i];
  } else if (values.size() == 1) {
    frame.registers[instr.dst] = std::move(values[0]);
  } else {
    frame.registers[instr.dst] = std::move(values);
  }
}

// One of the tasks it waits for has ended, or the host function is done.
void World::release(TaskNo number, EventSink* sink) {
  if (--tasks_[number].write().pending == 0) launch_blocks(number, sink);
}

void World::launch_blocks(TaskNo number, EventSink* sink) {
  Task& task = tasks_[number].write();
  if (!task.released) {
    task.released = true;
    unlaunched_.push_back(number);
  }
  const int64_t end = std::min(task.blocks, task.next_block + launch_window);
  while (task.next_block < end) {
    Agent agent;
    agent.level = task.code->level;
    agent.rank = task.rank;
    agent.task = number;
    agent.block = task.next_block++;
    agent.blocks = task.blocks;
    agent.frames.push_back({task.code, 0, no_slot, task.registers});
    agent.notifies = task.notifies;
    add_agent(std::move(agent));
  }
  if (task.next_block < task.blocks) return;
  unlaunched_.erase(std::remove(unlaunched_.begin(), unlaunched_.end(), number), unlaunched_.end());
  task.registers.clear();
  task.registers.shrink_to_fit();
  if (task.blocks == 0) complete(number, sink);
}

void World::end_block(AgentId id, std::vector<Value> results, EventSink* sink) {
  if (!flights_.empty()) land_all(id, sink);
  Agent& agent = agents_[id].write();
  tell(Event::Kind::End, agent, id, sink);
  if (needs_core(agent)) {
    --busy_[agent.rank];
    changed_ = true;
  }
  agent.frames.clear();
  if (agent.task == no_task) {
    if (agent.level == CodeLevel::Host) stage_out();
    if (call_ + 1 < options_.calls) return begin_call(id, sink);
    results_ = std::move(results);
    return;
  }
  Task& task = tasks_[agent.task].write();
  if (!flights_.empty()) {
    add_notifies(task.end_notifies, agent.notifies);
    add_notifies(task.end_notifies, agent.tasks_notifies);
  }
  if (agent.block == 0) task.results = std::move(results);
  if (++task.ended_blocks == task.blocks) complete(agent.task, sink);
}

// A loop and not a recursion: launches of no blocks may follow one another without end.
void World::complete(TaskNo first, EventSink* sink) {
  std::vector<TaskNo> work{first};
  changed_ = true;
  while (!work.empty()) {
    const TaskNo number = work.back();
    work.pop_back();
    Task& task = tasks_[number].write();
    task.done = true;
    Agent& submitter = agents_[task.submitter].write();
    --submitter.open_tasks;
    if (!flights_.empty()) add_notifies(submitter.tasks_notifies, task.end_notifies);
    if (sink) {
      sink->on({.kind = Event::Kind::TaskEnd, .task = number, .rank = task.rank, .where = task.where});
    }
    for (StorageId storage : task.frees) unuse(storage);
    task.frees.clear();
    if (!options_.full_order) forget(number);
    std::vector<TaskNo> successors = std::move(task.successors);
    task.successors.clear();
    for (TaskNo later : successors) {
      if (!flights_.empty()) add_notifies(tasks_[later].write().notifies, task.end_notifies);
      if (tasks_[later]->pending == 1 && tasks_[later]->blocks == 0) {
        tasks_[later].write().pending = 0;
        work.push_back(later);
      } else {
        release(later, sink);
      }
    }
  }
}

// No later task can have to wait for it.
void World::forget(TaskNo number) {
  Task& task = tasks_[number].write();
  auto& earlier = rank_tasks_[task.rank];
  earlier.erase(std::remove(earlier.begin(), earlier.end(), number), earlier.end());
  task.arguments.clear();
  task.arguments.shrink_to_fit();
}

}  // namespace tilewire::interp
