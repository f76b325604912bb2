#include "runtime/worker.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/costs.h"
#include "runtime/run_state.h"

namespace tilewire::runtime {
namespace {

// Fibers a worker keeps for itself.
constexpr size_t spare_fibers = 16;
// One run in so many is timed for Costs.
constexpr uint32_t sample_period = 16;
// Successors run one after the other before the queue gets its turn.
constexpr uint32_t longest_streak = 16;
// Pieces a launch is cut into, for each worker.
constexpr int64_t pieces_per_worker = 4;

}  // namespace

extern const abi::Api runtime_api;

Worker::Worker(Run& run, int32_t number) : index(number), run_(run) {
  direct_.api = &runtime_api;
  direct_.abort = run.abort_word();
  direct_.run = &run;
  direct_.worker = this;
}

void Worker::work() {
  for (;;) {
    run_.poll(*this);
    if (run_.replay) {
      if (!run_.replay->step(*this) && !run_.idle(*this)) break;
      continue;
    }
    if (run_.threads > 1 && sched_getcpu() != core.load(std::memory_order_relaxed)) run_.keep_apart(*this);
    Item item = next();
    if (Task* task = item.task()) {
      start(*task);
    } else if (Job* job = item.job()) {
      resume(*job);
    } else if (!run_.idle(*this)) {
      break;
    }
  }
}

Item Worker::next() {
  if (run_.random) {
    if (hot_) queue.push(std::exchange(hot_, {}));
    Item item = run_.take_from(queue, choices);
    return item ? item : run_.steal(*this);
  }
  if (hot_) {
    Item item = std::exchange(hot_, {});
    if (++streak_ < longest_streak || queue.size() == 0) return item;
    queue.push(item);  // a long chain must not keep woken fibers from running
  }
  streak_ = 0;
  Item item = queue.pop();
  return item ? item : run_.steal(*this);
}

Item Worker::take_ready() {
  return hot_ ? std::exchange(hot_, {}) : queue.pop();
}

void Worker::push(Item item, bool alone) {
  size_t waiting = queue.push(item);
  if (run_.threads > 1 && (!alone || waiting > 1)) run_.call_for_help();
}

void Worker::ready(Task& task, bool busy) {
  Item item(&task);
  switch (task.kind) {
    case TaskKind::Kernel:
      break;
    case TaskKind::Resume:
      item = Item(static_cast<Job*>(task.subject));
      task.rank->give_back(task, *this);
      break;
    case TaskKind::Release: {
      Rank& rank = *task.rank;
      rank.free_storage(static_cast<Storage*>(task.subject));
      complete(task, busy);
      return;
    }
    case TaskKind::Deferred:
      // Without conditions it goes through the queue: chains of such tasks must not nest on the stack.
      if (!run_.replay && task.blocks != 0) return park_conditions(task, busy);
      break;
  }
  if (hot_ || busy) {
    push(item);
  } else {
    hot_ = item;
  }
}

void Worker::park_conditions(Task& task, bool busy) {
  int64_t held = 1;  // the stack of the task while this continues
  if (run_.tracing) task.armed_ns = now_ns();
  for (int64_t i = 0; i < task.blocks; ++i) {
    Waiter& waiter = task.conditions[i];
    waiter.word = run_.windows ? run_.windows->waiter_word(waiter.cell) : nullptr;
    if (run_.cells.park(waiter, run_.abort_state())) continue;
    ++held;
    if (run_.tracing) trace_condition(task, waiter);
  }
  conditions_held(task, held, busy);
}

void Worker::conditions_held(Task& task, int64_t count, bool busy) {
  if (task.blocks_left.fetch_sub(count, std::memory_order_acq_rel) == count) complete(task, busy);
}

void Worker::trace_condition(Task& task, const Waiter& waiter) {
  const uint64_t number = run_.next_deferred();
  task.deferred.store(number, std::memory_order_relaxed);
  trace.push_back({.kind = TraceEvent::Kind::Deferred,
                   .name = "defer_wait",
                   .site = &run_.module->sites[waiter.site],
                   .rank = task.rank->index,
                   .start_ns = task.armed_ns,
                   .end_ns = now_ns(),
                   .cell = waiter.cell,
                   .value = waiter.expected,
                   .cmp = waiter.cmp,
                   .notify = run_.last_notify(waiter.cell),
                   .deferred = number});
}

void Worker::woken(Waiter& waiter) {
  if (waiter.job) {
    // Its data is in the cache of its last worker. Others take it from there if they are idle.
    Worker& home = *waiter.job->context.worker;
    return (home.core.load(std::memory_order_relaxed) == not_at_work ? *this : home).push(Item(waiter.job));
  }
  if (run_.tracing) trace_condition(*waiter.task, waiter);
  conditions_held(*waiter.task, 1, true);
}

void Worker::complete(Task& task, bool busy) {
  Edge* edge = task.successors.exchange(Task::closed(), std::memory_order_acq_rel);
  while (edge) {
    Edge* next = edge->next;  // the edge goes with its successor
    if (run_.tracing && task.kind == TaskKind::Deferred) {
      edge->successor->deferred.store(task.deferred.load(std::memory_order_relaxed),
                                      std::memory_order_relaxed);
    }
    if (edge->successor->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) ready(*edge->successor, busy);
    edge = next;
  }
  task.rank->give_back(task, *this);
}

void Worker::start(Task& task) {
  int64_t begin = task.next_block;
  int64_t count = task.blocks - begin;
  if (task.kind == TaskKind::Deferred) return end_blocks(task, 1);  // no conditions, or the run is over
  bool blocking = run_.random || run_.may_block(*task.kernel);      // anything may pause
  if (count > 1 && !run_.aborted() && (blocking || run_.threads > 1)) {
    count = blocking ? 1 : std::max<int64_t>(1, count / (pieces_per_worker * run_.threads));
    task.next_block += count;
    if (task.next_block < task.blocks) push(Item(&task));
  }
  if (blocking && count > 0 && !run_.aborted()) return start_block(task, begin);
  run_blocks(*task.rank, *task.kernel, task.args, begin, begin + count, task.blocks,
             run_.tracing ? task.deferred.exchange(0, std::memory_order_relaxed) : 0);
  end_blocks(task, count);
}

void Worker::end_blocks(Task& task, int64_t count) {
  if (task.blocks_left.fetch_sub(count, std::memory_order_acq_rel) == count) complete(task);
}

abi::Status Worker::run_blocks(Rank& rank, const abi::Function& kernel, const abi::Word* args, int64_t begin,
                               int64_t end, int64_t blocks, uint64_t deferred) {
  direct_.owner = &rank;
  direct_.rank = rank.index;
  direct_.rank_count = run_.rank_count;
  direct_.unlanded = run_.far.unlanded();
  direct_.function = &kernel;
  direct_.block_index = begin;
  direct_.block_count = blocks;
  if (begin == end) return abi::ok;
  if (run_.aborted()) return abi::aborted;
  if (!arena_.reserve(kernel.arena_bytes)) return run_.fail_memory(direct_, kernel.arena_bytes, kernel.site);
  direct_.arena = arena_.data();
  bool sampled = run_.timing || samples_++ % sample_period == 0;
  uint64_t start_ns = sampled ? now_ns() : 0;
  abi::Status status = abi::ok;
  for (int64_t block = begin; block < end && status == abi::ok; ++block) {
    if (run_.aborted()) return abi::aborted;
    direct_.block_index = block;
    status = kernel.code(&direct_, args, nullptr);
    direct_.release_all();
  }
  if (sampled) {
    uint64_t end_ns = now_ns();
    Costs::note(&kernel, (end_ns - start_ns) / static_cast<uint64_t>(end - begin));
    if (run_.timing) {
      uint64_t other_ns = std::exchange(direct_.other_ns, 0);
      rank.compute_ns.fetch_add(end_ns - start_ns - other_ns, std::memory_order_relaxed);
      rank.blocks.fetch_add(end - begin, std::memory_order_relaxed);
      if (run_.tracing) {
        trace.push_back({.kind = TraceEvent::Kind::Blocks,
                         .name = kernel.name,
                         .site = &run_.module->sites[kernel.site],
                         .rank = rank.index,
                         .block = begin,
                         .blocks = end - begin,
                         .start_ns = start_ns,
                         .end_ns = end_ns,
                         .deferred = deferred});
      }
    }
  }
  if (status != abi::ok) run_.ended_badly(direct_, status);
  return status;
}

void Worker::start_block(Task& task, int64_t block) {
  if (Job* job = prepare_block(task, block)) resume(*job);
}

Job* Worker::prepare_block(Task& task, int64_t block) {
  // What a deferred wait, or a join, is called where blocks have names.
  static constexpr abi::Function deferred{.name = "defer_wait",
                                          .code = nullptr,
                                          .params = nullptr,
                                          .results = nullptr,
                                          .param_count = 0,
                                          .result_count = 0,
                                          .arena_bytes = 0,
                                          .bits = abi::MayBlock,
                                          .site = 0};
  Job* job = take_job(*task.rank);
  if (!job) {
    end_blocks(task, 1);
    return nullptr;
  }
  const bool kernel = task.kind == TaskKind::Kernel;
  job->task = &task;
  job->context.block_index = block;
  job->context.block_count = kernel ? task.blocks : 1;
  job->context.function = kernel ? task.kernel : &deferred;
  if (task.rank->run.timing) task.rank->blocks.fetch_add(1, std::memory_order_relaxed);
  return job;
}

// On the fiber.
void Job::body() {
  if (task) {
    run_block();
  } else {
    context.owner->orchestrate(*this);
  }
  if (replay) context.run->replay->ended(*this);
  after = After::End;
}

void Job::run_block() {
  Run& run = context.owner->run;
  const abi::Function& kernel = *context.function;
  if (!arena.reserve(kernel.arena_bytes)) {
    run.fail_memory(context, kernel.arena_bytes, kernel.site);
    return;
  }
  context.arena = arena.data();
  if (run.fills() && kernel.arena_bytes != 0) std::memset(arena.data(), run.filling(), kernel.arena_bytes);
  abi::Status status =
      task->kind == TaskKind::Deferred ? wait_for_conditions() : kernel.code(&context, task->args, nullptr);
  if (replay && status == abi::ok) status = run.replay->before(context, {.event = ScheduleEvent::End});
  context.release_all();
  ahead.forget_all();
  if (status != abi::ok) run.ended_badly(context, status);
  late.land_all();
  run.land_notifies(context);
}

// In a run that follows a schedule, one after the other.
abi::Status Job::wait_for_conditions() {
  for (const Waiter& condition : task->conditions) {
    int32_t seen;
    const ReplayStop stop{.event = ScheduleEvent::Wait,
                          .cell = condition.cell,
                          .expected = condition.expected,
                          .cmp = condition.cmp,
                          .site = condition.site};
    if (abi::Status status = context.run->replay->wait(context, stop, &seen)) return status;
  }
  return abi::ok;
}

TraceEvent BlockContext::event(TraceEvent::Kind kind, uint32_t site, uint64_t start_ns,
                               uint64_t end_ns) const {
  return {.kind = kind,
          .name = function->name,
          .site = &run->module->sites[site],
          .rank = rank,
          .block = block_index,
          .lanes = abi::lanes_of(function->bits),
          .launch = job ? job->task : nullptr,
          .start_ns = start_ns,
          .end_ns = end_ns};
}

void Worker::resume(Job& job) {
  job.context.worker = this;
  if (!run_.timing) {
    job.resume();
  } else {
    Task* task = job.task;
    const char* name = task ? job.context.function->name : nullptr;
    int64_t block = job.context.block_index;
    uint64_t start_ns = now_ns();
    job.resume();
    uint64_t end_ns = now_ns();
    uint64_t other_ns = std::exchange(job.context.other_ns, 0);
    if (job.task) {
      job.context.owner->compute_ns.fetch_add(end_ns - start_ns - other_ns, std::memory_order_relaxed);
    }
    if (run_.tracing) {
      const abi::Function* function = job.context.function;
      auto kind = job.task ? TraceEvent::Kind::Blocks : TraceEvent::Kind::Orchestration;
      const abi::Site* site = function ? &run_.module->sites[function->site] : nullptr;
      trace.push_back({.kind = kind,
                       .name = name       ? name
                               : function ? function->name
                                          : "orchestration",
                       .site = site,
                       .rank = job.context.rank,
                       .block = block,
                       .lanes = task ? abi::lanes_of(function->bits) : 1,
                       .launch = task,
                       .start_ns = start_ns,
                       .end_ns = end_ns,
                       .deferred = task ? task->deferred.exchange(0, std::memory_order_relaxed) : 0});
    }
  }
  after(job);
}

// The fiber is off its stack: from here on another worker may resume it.
void Worker::after(Job& job) {
  switch (job.after) {
    case Job::After::End: {
      Task* task = std::exchange(job.task, nullptr);
      give_job(&job);
      if (task) end_blocks(*task, 1);
      break;
    }
    case Job::After::Park:
      if (!run_.cells.park(job.waiter, run_.abort_state())) push(Item(&job), true);
      break;
    case Job::After::Await:
      if (job.awaits->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) ready(*job.awaits);
      break;
    case Job::After::Throttle:
      job.context.owner->throttle(job, *this);
      break;
    case Job::After::Yield:
      run_.yielded(*this, job);
      break;
    case Job::After::Pause:
      push(Item(&job));
      break;
    case Job::After::Stop:  // Replay knows it
      break;
  }
}

Job* Worker::take_job(Rank& rank) {
  int64_t in_use = run_.fibers.fetch_add(1) + 1;
  Job* job = nullptr;
  if (in_use <= Run::fiber_limit) {
    if (spare_.empty()) {
      job = run_.process.fibers.take().release();
    } else {
      job = spare_.back();
      spare_.pop_back();
    }
  }
  if (!job) {
    run_.fibers.fetch_sub(1);
    Failure failure;
    failure.cause = in_use > Run::fiber_limit ? Cause::Fibers : Cause::Memory;
    failure.numbers[0] = failure.cause == Cause::Fibers ? Run::fiber_limit : int64_t{Fiber::stack_bytes};
    failure.rank = rank.index;
    run_.fail(failure, this);
    return nullptr;
  }
  BlockContext& context = job->context;
  context.api = &runtime_api;
  context.abort = run_.abort_word();
  context.run = &run_;
  context.owner = &rank;
  context.rank = rank.index;
  context.rank_count = run_.rank_count;
  context.unlanded = run_.far.unlanded();
  context.worker = this;
  context.job = job;
  context.function = nullptr;
  job->waiter.job = job;
  job->replay = nullptr;
  return job;
}

void Worker::give_job(Job* job) {
  run_.fibers.fetch_sub(1);
  if (spare_.size() < spare_fibers) {
    spare_.push_back(job);
  } else {
    run_.process.fibers.give(std::unique_ptr<Job>(job));
  }
}

}  // namespace tilewire::runtime
