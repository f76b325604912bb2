// Submission: what a kernel call has to wait for, and whether it runs here and now.
//
// A call that waits for nothing and is not worth another thread's attention runs inside `submit`, so a chain
// of small tasks costs little more than the calls. Everything else becomes a record in the graph.
#include "runtime/rank.h"

#include <cstring>
#include <utility>

#include "runtime/costs.h"
#include "runtime/run_state.h"
#include "runtime/worker.h"

namespace tilewire::runtime {
namespace {

// A launch cheaper than this is not handed to another thread.
constexpr uint64_t small_ns = 1000;
// Ready tasks a worker, beyond which the submitter rather runs one than adds one.
constexpr size_t deep_queue = 64;

}  // namespace

Rank::Rank(Run& owner) : run(owner) {}

void Rank::begin(int32_t number) {
  index = number;
  dispatches_.clear();
  next_dispatch_ = 0;
  order_.begin(run.windows, index);
  limit_ = live_limit;
  stats = {};
  compute_ns = wait_ns = transfer_ns = bytes = parks = blocks = 0;
}

void Rank::end(Kept& kept) {
  stats.records = records_.size() * records_per_piece;
  for (Storage* storage : returned_storages_) kept.add(storage);
  returned_storages_.clear();
}

RankStats Rank::all_stats() const {
  RankStats all = stats;
  all.rank = index;
  all.blocks = blocks;
  all.parks = parks;
  all.compute_ns = compute_ns;
  all.wait_ns = wait_ns;
  all.transfer_ns = transfer_ns;
  all.bytes = bytes;
  return all;
}

void Rank::start(Worker& worker) {
  live_.store(1);
  rounds_ = {};
  scoped_.clear();
  scope_starts_.clear();
  ++next_dispatch_;
  Job* job = worker.take_job(*this);
  if (!job) return leave(worker);  // after reporting why
  job->task = nullptr;
  worker.push(Item(job), true);
}

void Rank::orchestrate(Job& job) {
  const Dispatch& dispatch = dispatches_[next_dispatch_ - 1];
  BlockContext& context = job.context;
  context.function = dispatch.entry;
  context.block_index = 0;
  context.block_count = 1;
  if (!run.aborted()) {
    if (job.arena.reserve(dispatch.entry->arena_bytes)) {
      context.arena = job.arena.data();
      abi::Status status = dispatch.entry->code(&context, dispatch.args.data(), dispatch.results.data());
      if (run.replay && status == abi::ok) {
        status = run.replay->before(context, {.event = ScheduleEvent::End});
      }
      if (status != abi::ok) run.ended_badly(context, status);
    } else {
      run.fail_memory(context, dispatch.entry->arena_bytes, dispatch.entry->site);
    }
  }
  leave(*context.worker);
}

Task& Rank::take(TaskKind kind) {
  if (!free_) free_ = given_back_.exchange(nullptr, std::memory_order_acquire);
  if (!free_) {
    auto piece = std::make_unique<Task[]>(records_per_piece);
    for (uint32_t i = 0; i < records_per_piece; ++i) {
      piece[i].slot = static_cast<uint32_t>(records_.size()) * records_per_piece + i;
      piece[i].rank = this;
      piece[i].next = std::exchange(free_, &piece[i]);
    }
    records_.push_back(std::move(piece));
  }
  Task& task = *std::exchange(free_, free_->next);
  task.reset(kind);
  live_.fetch_add(1, std::memory_order_relaxed);
  return task;
}

Task* Rank::find(abi::TaskId id) {
  if (id == abi::no_task) return nullptr;
  auto slot = static_cast<uint32_t>(id) - 1;
  if (slot / records_per_piece >= records_.size()) return nullptr;
  Task& task = records_[slot / records_per_piece][slot % records_per_piece];
  return task.generation == id >> 32 && !task.ended() ? &task : nullptr;
}

void Rank::add_predecessor(Task& task) {
  if (task.mark == mark_) return;
  task.mark = mark_;
  predecessors_.push_back(&task);
}

void Rank::collect(const abi::TaskId* deps, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (Task* task = find(deps[i])) add_predecessor(*task);
  }
}

void Rank::enter(Task& task, const abi::Launch& launch) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < launch.kernel->param_count; ++i)
    count += abi::word_count(launch.kernel->params[i]);
  task.copy_args(launch.args, count);
  order_.enter(task, launch, !storages_.empty());
}

bool Rank::at_once(const abi::Launch& launch, const Worker& worker) const {
  if (run.random || run.replay) return false;  // the clock must not decide
  if (run.may_block(*launch.kernel)) return false;
  if (run.threads == 1 || worker.queue.size() >= deep_queue) return true;
  uint64_t ns = Costs::of(launch.kernel);
  return ns != 0 && ns <= small_ns && ns * static_cast<uint64_t>(launch.blocks) <= small_ns;
}

abi::Status Rank::submit(BlockContext& context, const abi::Launch& launch, abi::TaskId* id) {
  *id = abi::no_task;
  if (run.aborted()) return abi::aborted;
  if (launch.blocks < 0) {
    return run.fail(context, abi::Fault::BlockCount, launch.site, launch.blocks, 0, 0, 0);
  }
  // Here every block makes progress whatever the others do, so all can start as soon as each can have a
  // fiber.
  bool together = (launch.bits & abi::SyncStart) && run.may_block(*launch.kernel);
  if (together && launch.blocks > Run::fiber_limit) return run.fail_fibers(context, launch.site);
  ++stats.tasks;
  predecessors_.clear();
  ++mark_;
  if (live_.load(std::memory_order_acquire) > 1) {
    collect(launch.deps, launch.dep_count);
    order_.predecessors(launch, rounds_, [this](Task& task) { add_predecessor(task); });
  } else {
    order_.clear();
  }
  Worker& worker = *context.worker;
  if (predecessors_.empty() && (launch.blocks == 0 || at_once(launch, worker))) {
    return worker.run_blocks(*this, *launch.kernel, launch.args, 0, launch.blocks, launch.blocks);
  }
  Task& task = take(TaskKind::Kernel);
  task.kernel = launch.kernel;
  task.site = launch.site;
  task.rounds = rounds_;
  task.blocks = launch.blocks;
  task.next_block = 0;
  task.blocks_left.store(launch.blocks, std::memory_order_relaxed);
  if (run.replay) {
    task.key = {index, dispatch_number(), context.task_number, 0};
    task.takes_core = true;
    task.together = launch.bits & abi::SyncStart;
  }
  for (Task* predecessor : predecessors_) task.follow(*predecessor);
  enter(task, launch);
  stats.edges += task.edge_count();
  *id = uint64_t{task.generation} << 32 | (task.slot + 1);
  if (task.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) worker.push(Item(&task), launch.blocks <= 1);
  if (run.random) run.pause(context);
  return live_.load(std::memory_order_relaxed) > limit_ ? drain(context, limit_ / 2) : abi::ok;
}

abi::Status Rank::defer(BlockContext& context, const abi::Deferred& deferred, abi::TaskId* id) {
  *id = abi::no_task;
  if (run.aborted()) return abi::aborted;
  predecessors_.clear();
  ++mark_;
  collect(deferred.deps, deferred.dep_count);
  if (predecessors_.empty() && deferred.condition_count == 0 && !run.replay) return abi::ok;
  Task& task = take(TaskKind::Deferred);
  task.site = deferred.site;
  task.blocks = deferred.condition_count;
  task.set_conditions(deferred.conditions);
  if (run.replay) {
    task.key = {index, dispatch_number(), context.task_number, 0};
    task.takes_core = false;
    task.next_block = 0;
    task.blocks_left.store(1, std::memory_order_relaxed);
  }
  for (Task* predecessor : predecessors_) task.follow(*predecessor);
  stats.edges += task.edge_count();
  *id = uint64_t{task.generation} << 32 | (task.slot + 1);
  if (task.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) context.worker->ready(task, true);
  return live_.load(std::memory_order_relaxed) > limit_ ? drain(context, limit_ / 2) : abi::ok;
}

abi::Status Rank::await(BlockContext& context, const abi::Param& param, const abi::Word* words,
                        uint8_t access) {
  if (run.aborted()) return abi::aborted;
  if (live_.load(std::memory_order_acquire) == 1) return abi::ok;
  predecessors_.clear();
  ++mark_;
  order_.users({words, param.rank, param.element_bytes}, access,
               [this](Task& task) { add_predecessor(task); });
  if (predecessors_.empty()) return abi::ok;
  Task& task = take(TaskKind::Resume);
  task.subject = context.job;
  for (Task* predecessor : predecessors_) task.follow(*predecessor);
  context.job->awaits = &task;
  context.job->leave(Job::After::Await);
  return run.aborted() ? abi::aborted : abi::ok;
}

abi::Status Rank::drain(BlockContext& context, int64_t live) {
  resume_at_.store(live);
  context.job->leave(Job::After::Throttle);
  return run.aborted() ? abi::aborted : abi::ok;
}

void Rank::throttle(Job& job, Worker& worker) {
  seen_live_.store(-1, std::memory_order_relaxed);
  throttled_.store(&job);
  if (live_.load() > resume_at_.load()) return;
  if (Job* resumed = throttled_.exchange(nullptr)) worker.push(Item(resumed), true);
}

bool Rank::is_throttled_in_vain(uint64_t now_ns) {
  if (!throttled_.load(std::memory_order_relaxed)) return false;
  const int64_t live = live_.load(std::memory_order_relaxed);
  if (seen_live_.exchange(live, std::memory_order_relaxed) != live) {
    seen_since_ns_.store(now_ns, std::memory_order_relaxed);
    return false;
  }
  return now_ns - seen_since_ns_.load(std::memory_order_relaxed) > patience_ns;
}

bool Rank::unthrottle(Worker& worker) {
  Job* job = throttled_.exchange(nullptr);
  if (!job) return false;
  limit_ *= 2;
  worker.push(Item(job), true);
  return true;
}

void Rank::give_back(Task& task, Worker& worker) {
  task.next = given_back_.load(std::memory_order_relaxed);
  while (!given_back_.compare_exchange_weak(task.next, &task, std::memory_order_release,
                                            std::memory_order_relaxed)) {
  }
  int64_t left = live_.fetch_sub(1) - 1;
  if (left == 0) return finish(worker);
  if (throttled_.load() && left <= resume_at_.load()) {
    if (Job* job = throttled_.exchange(nullptr)) worker.push(Item(job));
  }
}

void Rank::leave(Worker& worker) {
  if (live_.fetch_sub(1) == 1) finish(worker);
}

// All tasks of the dispatch have ended, and the orchestration function too.
void Rank::finish(Worker& worker) {
  order_.clear();
  const Dispatch& dispatch = dispatches_[next_dispatch_ - 1];
  auto returned = [&](Storage& storage) {
    const abi::Word* word = dispatch.results.data();
    const abi::Word* end = word + dispatch.results.size();
    for (uint32_t i = 0; i < dispatch.entry->result_count && word < end; ++i) {
      const abi::Param& result = dispatch.entry->results[i];
      auto start = reinterpret_cast<uint64_t>(storage.data());
      if (abi::has_bytes(result) && *word - start < std::max<uint64_t>(storage.bytes, 1)) return true;
      word += abi::word_count(result);
    }
    return false;
  };
  bool failed = run.aborted();
  for (Storage* storage : storages_) {
    if (!failed && returned(*storage)) {
      returned_storages_.push_back(storage);
    } else {
      run.process.storage.give(storage);
    }
  }
  storages_.clear();
  created_bytes_.store(0);
  if (!failed && has_work()) {
    start(worker);
  } else {
    run.rank_ended();
  }
}

abi::Status Rank::allocate(BlockContext& context, uint64_t bytes, uint32_t site, void** storage) {
  if (run.aborted()) return abi::aborted;
  int64_t live = live_.load();
  // Tensors still in use by earlier tasks: let some of those end first.
  if (live > 2 && created_bytes_.load(std::memory_order_relaxed) + bytes > created_limit) {
    if (abi::Status status = drain(context, live / 2)) return status;
  }
  Storage* made = run.process.storage.take(bytes);
  if (!made && live_.load() > 1) {
    if (abi::Status status = drain(context, 1)) return status;
    made = run.process.storage.take(bytes);
  }
  if (!made) return run.fail_memory(context, bytes, site);
  if (run.fills()) std::memset(made->data(), run.filling(), bytes);
  storages_.add(*made);
  if (!scope_starts_.empty()) scoped_.push_back(made);
  created_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  *storage = made->data();
  return abi::ok;
}

void Rank::step(BlockContext& context, abi::ParallelStep what) {
  rounds_.step(what);
  switch (what) {
    case abi::ParallelStep::EnterStorage:
      scope_starts_.push_back(scoped_.size());
      break;
    case abi::ParallelStep::LeaveStorage:
      while (scoped_.size() > scope_starts_.back()) {
        release(context, scoped_.back()->data());
        scoped_.pop_back();
      }
      scope_starts_.pop_back();
      break;
    case abi::ParallelStep::Keep:
      if (!scope_starts_.empty()) scoped_.pop_back();
      break;
    default:
      break;
  }
}

abi::Status Rank::release(BlockContext& context, void* data) {
  if (run.aborted()) return abi::aborted;  // freed when the dispatch ends
  Storage& storage = *Storage::of(data);
  predecessors_.clear();
  ++mark_;
  if (live_.load(std::memory_order_acquire) > 1 && storage.bytes != 0) {
    abi::Word words[3] = {reinterpret_cast<abi::Word>(data), storage.bytes, 1};
    order_.in_use({words, 1, 1}, [this](Task& task) { add_predecessor(task); });
  }
  storages_.remove(storage);
  if (predecessors_.empty()) {
    free_storage(&storage);
    return abi::ok;
  }
  Task& task = take(TaskKind::Release);
  task.subject = &storage;
  for (Task* predecessor : predecessors_) task.follow(*predecessor);
  if (task.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) context.worker->ready(task);
  return abi::ok;
}

void Rank::free_storage(Storage* storage) {
  created_bytes_.fetch_sub(storage->bytes, std::memory_order_relaxed);
  run.process.storage.give(storage);
}

}  // namespace tilewire::runtime
