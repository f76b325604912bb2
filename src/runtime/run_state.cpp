// Who sleeps where. Helper threads that find nothing leave the run and sleep in Helpers; the caller's thread
// sleeps here. So when the caller finds nothing and no helper takes part, nothing can ever become ready: the
// run is over, was interrupted, waits for itself to be throttled less, or is deadlocked, and no clock is
// needed to know.
#include "runtime/run_state.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace tilewire::runtime {
namespace {

constexpr uint64_t spin_ns = 20'000;
// So often in a row a fiber that yields is the only one there is to run, before its thread lets others.
constexpr uint32_t lonely_yields = 64;

void futex_wait(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void futex_wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace

uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

cpu_set_t allowed_cpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) CPU_ZERO(&cpus);
  return cpus;
}

Run::Run(Process& owner) : process(owner), host(*this) {}

void Run::prepare(const Request& request) {
  module = request.module;
  windows = request.windows;
  rank_count = request.ranks;
  cpus_ = allowed_cpus();
  int32_t cores = std::max(CPU_COUNT(&cpus_), 1);
  threads = request.threads <= 0 ? cores : request.threads;
  if (!request.more_than_cores) threads = std::min(threads, cores);
  threads = request.replay ? 1 : std::clamp(threads, 1, 1024);
  tracing = !request.trace.empty();
  timing = tracing || request.stats;
  std::optional<uint64_t> seed = seed_of(request.schedule);
  random = seed.has_value();
  replay = request.replay ? std::make_unique<Replay>(*this, *request.replay) : nullptr;
  while (static_cast<int32_t>(workers_.size()) < threads) {
    workers_.push_back(std::make_unique<Worker>(*this, static_cast<int32_t>(workers_.size())));
  }
  for (int32_t i = 0; random && i < threads; ++i) workers_[i]->choices.start(*seed, i);
  free_workers_.clear();
  for (int32_t i = threads; i-- > 1;) free_workers_.push_back(i);
  helpers_used_ = 0;
  while (static_cast<int32_t>(ranks_.size()) < rank_count) {
    ranks_.push_back(std::make_unique<Rank>(*this, static_cast<int32_t>(ranks_.size())));
  }
  for (int32_t i = 0; i < rank_count; ++i) ranks_[i]->begin();
  abort_ = 0;
  released_ = false;
  failed_ = false;
  failure_ = {};
  asleep_ = false;
  finished_ = false;
}

bool Run::dispatch(const Request& request) {
  if (windows) windows->begin_run(request.keep);
  bool good = !request.host || host.call(request, *workers_[0]);
  int32_t with_work = 0;
  for (const Dispatch& dispatch : request.host ? host.dispatches() : request.dispatches) {
    if (!good) break;
    with_work += !ranks_[dispatch.rank]->has_work();
    ranks_[dispatch.rank]->add(dispatch);
  }
  ranks_left_ = with_work;
  finished_ = with_work == 0;
  if (good && request.host) host.stage_in();
  return good;
}

Outcome Run::execute(const Request& request) {
  Outcome outcome;
  prepare(request);
  uint64_t start_ns = timing ? now_ns() : 0;
  active_ = true;
  Worker& worker = *workers_[0];
  bool held = threads > 1 && hold_caller();
  if (dispatch(request)) {
    for (int32_t i = 0; i < rank_count; ++i) {
      if (ranks_[i]->has_work()) ranks_[i]->start(worker);
    }
    worker.work();
    if (int cancelled = process.helpers.cancel(this)) helpers_.fetch_sub(cancelled);
    while (helpers_.load() != 0) sched_yield();  // they see the end, too
  }
  if (held) sched_setaffinity(0, sizeof cpus_, &cpus_);
  std::lock_guard lock(idle_mutex_);  // and have left this
  active_ = false;
  finish(request, outcome);
  report(request, start_ns, outcome);
  replay = nullptr;
  return outcome;
}

void Run::report(const Request& request, uint64_t start_ns, Outcome& outcome) {
  if (request.stats) {
    request.stats->wall_ns = now_ns() - start_ns;
    request.stats->threads = helpers_used_ + 1;
    request.stats->ranks.clear();
    for (int32_t i = 0; i < rank_count; ++i) request.stats->ranks.push_back(ranks_[i]->all_stats());
  }
  if (!tracing) return;
  std::vector<const TraceBuffer*> buffers;
  for (int32_t i = 0; i < threads; ++i) buffers.push_back(&workers_[i]->trace);
  Failure failure;
  failure.cause = Cause::Trace;
  auto name_of = [this](const int32_t* cell) { return windows ? windows->name_of(cell) : std::string(); };
  if (!write_trace(request.trace, buffers, start_ns, name_of, failure.text) && outcome.ok()) {
    outcome.ending = Ending::Error;
    outcome.error = describe(failure, *module);
  }
  for (int32_t i = 0; i < threads; ++i) TraceBuffer().swap(workers_[i]->trace);
  notifies_.clear();
}

void Run::finish(const Request& request, Outcome& outcome) {
  for (int32_t i = 0; i < rank_count; ++i) ranks_[i]->end(outcome.kept);
  if (!failed_) {
    if (!aborted()) {
      if (request.host) host.stage_out();
      return;
    }
    failure_.cause = Cause::Interrupted;
  }
  outcome.kept = {};
  outcome.ending = failure_.cause == Cause::Deadlock      ? Ending::Deadlock
                   : failure_.cause == Cause::Interrupted ? Ending::Interrupted
                                                          : Ending::Error;
  failure_.ranks = rank_count;
  outcome.error = describe(failure_, *module);
  if (failure_.site < module->site_count) outcome.site = module->sites[failure_.site];
  outcome.rank = failure_.rank;
  outcome.block = failure_.block;
}

void Run::help() {
  Worker* worker;
  {
    std::lock_guard lock(idle_mutex_);
    worker = workers_[free_workers_.back()].get();
    free_workers_.pop_back();
    helpers_used_ = std::max(helpers_used_, threads - 1 - static_cast<int32_t>(free_workers_.size()));
  }
  worker->thread.store(gettid(), std::memory_order_relaxed);
  worker->work();
}

bool Run::hold_caller() {
  int core = sched_getcpu();
  workers_[0]->core.store(core, std::memory_order_relaxed);
  if (core < 0 || !process.crowded.load(std::memory_order_relaxed)) return false;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  return sched_setaffinity(0, sizeof only, &only) == 0;
}

void Run::keep_apart(Worker& worker) {
  int core = sched_getcpu();
  worker.core.store(core, std::memory_order_relaxed);
  for (int32_t i = 0; i < threads; ++i) {
    Worker& other = *workers_[i];
    if (&other == &worker || other.core.load(std::memory_order_relaxed) != core) continue;
    return send_elsewhere(worker.index == 0 ? other : worker);
  }
}

void Run::send_elsewhere(const Worker& worker) {
  cpu_set_t free = cpus_;
  for (int32_t i = 0; i < threads; ++i) {
    int core = workers_[i]->core.load(std::memory_order_relaxed);
    if (i != worker.index && core >= 0) CPU_CLR(core, &free);
  }
  if (CPU_COUNT(&free) == 0) return;
  process.helpers.move(worker.thread.load(std::memory_order_relaxed), free);
  process.crowded.store(true, std::memory_order_relaxed);
}

bool Run::any_ready() const {
  for (int32_t i = 0; i < threads; ++i) {
    if (workers_[i]->queue.size() != 0) return true;
  }
  return false;
}

Item Run::steal(Worker& thief) {
  for (int32_t i = 1; i < threads; ++i) {
    ReadyQueue& queue = workers_[(thief.index + i) % threads]->queue;
    if (Item item = random ? take_from(queue, thief.choices) : queue.pop()) return item;
  }
  return {};
}

Item Run::take_from(ReadyQueue& queue, Choices& choices) {
  return queue.take([&](size_t count, auto at) {
    return choices.choose(count, [&](size_t i) {
      Item item = at(i);
      return item.task() ? item.task()->rank->index : item.job()->context.rank;
    });
  });
}

void Run::pause(BlockContext& context) {
  if (!random || !context.job) return;
  Job& job = *context.job;
  if (context.worker->choices.one_in(4)) job.late.land_first();
  if (context.worker->choices.one_in(8)) land_notifies(context);
  if (fibers.load(std::memory_order_relaxed) > pausing_limit) return;
  while (context.worker->choices.one_in(2)) job.leave(Job::After::Pause);
}

uint64_t Run::note_notify(const int32_t* cell) {
  std::lock_guard lock(notify_mutex_);
  return notifies_[cell] = ++notify_count_;
}

uint64_t Run::last_notify(const int32_t* cell) {
  std::lock_guard lock(notify_mutex_);
  auto found = notifies_.find(cell);
  return found == notifies_.end() ? 0 : found->second;
}

void Run::call_for_help() {
  if (asleep_.load(std::memory_order_seq_cst)) return wake_caller();
  int32_t helpers = helpers_.load(std::memory_order_relaxed);
  while (helpers < threads - 1) {
    if (!helpers_.compare_exchange_weak(helpers, helpers + 1)) continue;
    if (!process.helpers.request(this, workers_[0]->core.load(std::memory_order_relaxed), cpus_)) {
      std::lock_guard lock(idle_mutex_);
      helpers_.fetch_sub(1);
    }
    return;
  }
}

void Run::wake_caller() {
  asleep_.store(false);
  alarm_.fetch_add(1);
  futex_wake(alarm_);
}

bool Run::idle(Worker& worker) {
  if (finished() && worker.index == 0) return false;
  if (helpers_.load() > 0) {
    keep_apart(worker);
    uint64_t until = now_ns() + spin_ns;
    do {
      for (int i = 0; i < 50; ++i) {
        if (any_ready()) return true;
        if (finished()) break;
        SpinLock::pause();
      }
    } while (!finished() && !aborted() && now_ns() < until);
  }
  return worker.index == 0 ? idle_caller(worker) : idle_helper(worker);
}

bool Run::idle_caller(Worker& worker) {
  uint32_t ticket = alarm_.load();
  bool sleeps, alone;
  {
    std::lock_guard lock(idle_mutex_);
    asleep_.store(true, std::memory_order_seq_cst);
    // In this order: without helpers nothing changes any more, with one everything may.
    alone = helpers_.load() == 0;
    bool interrupted = aborted() && !released_.load();
    bool nothing = !finished() && !any_ready();
    sleeps = nothing && !alone && !interrupted;
    alone = alone && nothing;
    if (!sleeps) asleep_.store(false);
  }
  if (sleeps) {
    futex_wait(alarm_, ticket);
    asleep_.store(false);
  } else if (alone) {
    stalled(worker);
  }
  return true;
}

bool Run::idle_helper(Worker& worker) {
  std::lock_guard lock(idle_mutex_);
  if (!finished() && any_ready()) return true;
  free_workers_.push_back(worker.index);
  worker.core.store(Worker::not_at_work, std::memory_order_relaxed);
  // The caller looks whether anything can still happen, or ends the run.
  if (helpers_.fetch_sub(1) == 1 && asleep_.load()) wake_caller();
  return false;
}

void Run::rank_ended() {
  if (ranks_left_.fetch_sub(1) != 1) return;
  finished_.store(true, std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst)) wake_caller();
}

// Only the caller's worker is left, and it has nothing to do.
void Run::stalled(Worker& worker) {
  if (aborted() && !released_.load()) return release_parked(worker);
  if (unthrottle(worker)) return;
  std::vector<const Waiter*> waiters = cells.all();
  TW_CHECK(!waiters.empty() && !aborted(), "a run came to a stop with nothing to wait for");
  report_deadlock(worker);
}

bool Run::unthrottle(Worker& worker) {
  bool any = false;
  for (int32_t i = 0; i < rank_count; ++i) any |= ranks_[i]->unthrottle(worker);
  return any;
}

void Run::report_deadlock(Worker& worker) {
  Failure failure;
  failure.cause = Cause::Deadlock;
  for (const Waiter* waiter : cells.all()) failure.blocked.push_back(blocked(*waiter));
  fail(std::move(failure), &worker);
}

Blocked Run::blocked(const Waiter& waiter) const {
  Blocked result{.site = waiter.site,
                 .cell = windows ? windows->name_of(waiter.cell) : "",
                 .seen = cell_value(waiter.cell),
                 .cmp = waiter.cmp,
                 .expected = waiter.expected,
                 .does = waiter.looks.empty()                               ? Blocked::Does::Wait
                         : waiter.looks.front().kind == abi::LookKind::Test ? Blocked::Does::Test
                                                                            : Blocked::Does::Read};
  if (waiter.job) {
    const BlockContext& context = waiter.job->context;
    result.rank = context.rank;
    result.block = context.block_index;
    result.blocks = context.block_count;
    result.kernel = context.kernel_name();
  } else {
    result.rank = waiter.task->rank->index;
  }
  return result;
}

void Run::release_parked(Worker& worker) {
  released_.store(true);
  go_on(cells.take_all(), worker);
}

void Run::wake(const int32_t* cell, Worker& worker) {
  go_on(cells.wake(cell), worker);
}

void Run::wake_parked(const int32_t* cell, Worker& worker) {
  const uint32_t* word = windows ? windows->waiter_word(cell) : nullptr;
  if (word && __atomic_load_n(word, __ATOMIC_SEQ_CST) != 0) wake(cell, worker);
}

void Run::land_notifies(BlockContext& context) {
  Job& job = *context.job;
  while (!job.notifies.empty()) {
    const LateNotifies::Notify notify = job.notifies.take_first();
    write_cell(notify.cell, notify.value, notify.kind);
    wake_parked(notify.cell, *context.worker);
  }
}

void Run::go_on(Waiter* waiters, Worker& worker) {
  while (waiters) {
    Waiter* next = waiters->next;  // once woken it may be gone
    worker.woken(*waiters);
    waiters = next;
  }
}

void Run::yielded(Worker& worker, Job& job) {
  if (any_ready()) {
    worker.yields = 0;
  } else if (++worker.yields % lonely_yields == 0) {
    sched_yield();
  }
  worker.push(Item(&job), true);
}

void Run::fail(Failure failure, Worker* worker) {
  {
    std::lock_guard lock(failure_mutex_);
    // After an interrupt nothing that goes wrong matters any more.
    if (!failed_ && !aborted()) {
      failure_ = std::move(failure);
      failed_ = true;
    }
    abort_.store(1);
  }
  if (worker) release_parked(*worker);
}

abi::Status Run::fail(BlockContext& context, abi::Fault fault, uint32_t site, int64_t a, int64_t b, int64_t c,
                      int64_t d) {
  Failure failure = failure_in(context, Cause::Fault, site);
  failure.fault = fault;
  failure.numbers[0] = a;
  failure.numbers[1] = b;
  failure.numbers[2] = c;
  failure.numbers[3] = d;
  fail(std::move(failure), context.worker);
  return abi::failed;
}

abi::Status Run::fail_memory(BlockContext& context, uint64_t bytes, uint32_t site) {
  Failure failure = failure_in(context, Cause::Memory, site);
  failure.numbers[0] = static_cast<int64_t>(bytes);
  fail(std::move(failure), context.worker);
  return abi::failed;
}

abi::Status Run::fail_fibers(BlockContext& context, uint32_t site) {
  Failure failure = failure_in(context, Cause::Fibers, site);
  failure.numbers[0] = fiber_limit;
  fail(std::move(failure), context.worker);
  return abi::failed;
}

void Run::ended_badly(BlockContext& context, abi::Status status) {
  if (aborted()) return;
  Failure failure = failure_in(context, Cause::Internal, context.function->site);
  failure.text = "`" + std::string(context.function->name) + "` ended with status " + std::to_string(status) +
                 " and did not say why";
  fail(std::move(failure), context.worker);
}

Failure Run::failure_in(const BlockContext& context, Cause cause, uint32_t site) {
  Failure failure;
  failure.cause = cause;
  failure.site = site;
  failure.rank = context.rank;
  failure.block = context.block_index;
  failure.blocks = context.block_count;
  failure.kernel = context.kernel_name();
  return failure;
}

void Run::interrupt() {
  if (!active_.load()) return;
  abort_.store(1);
  alarm_.fetch_add(1);
  futex_wake(alarm_);
}

}  // namespace tilewire::runtime
