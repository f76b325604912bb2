// Who sleeps where. Helper threads that find nothing leave the run and sleep in Helpers; the caller's thread
// sleeps here, on the bell. So when the caller finds nothing and no helper takes part, nothing can become
// ready by itself: the run is over, was interrupted, waits for itself to be throttled less, or needs somebody
// elsewhere to act. The last is for the world to judge; where nobody is elsewhere it is a deadlock, and no
// clock is needed to know.
#include "runtime/run_state.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace tilewire::runtime {
namespace {

// Those that the calling thread may run on, as of the last tick (4 ms) of a clock that takes a few
// nanoseconds to read: asking the system takes as long as the rest of a short run.
const cpu_set_t& recent_cpus() {
  thread_local cpu_set_t cpus;
  thread_local timespec asked_at{-1, 0};
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  if (now.tv_sec != asked_at.tv_sec || now.tv_nsec != asked_at.tv_nsec) {
    cpus = allowed_cpus();
    asked_at = now;
  }
  return cpus;
}

// So often in a row a fiber that yields is the only one there is to run, before its thread lets others.
constexpr uint32_t lonely_yields = 64;
// After so many yields, a worker looks whether fibers that spin wait for what has not been submitted.
constexpr uint32_t yields_of_a_spin = 1024;

}  // namespace

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
  world_ = request.world;
  part = world_->part(rank_count);
  TW_CHECK(part.first >= 0 && part.count > 0 && part.first + part.count <= rank_count,
           "a part of the world without ranks");
  shared_ = part.count < rank_count;
  far.begin(world_->far());
  TW_CHECK(!far.any() || part.bell, "a world with a link and without a bell");
  TW_CHECK(!request.replay || !shared_, "a replay of ranks that live elsewhere");
  cells.written_elsewhere(shared_);
  bell_ = part.bell ? part.bell : &own_bell_;
  heard_ = bell_->rings();
  cpus_ = recent_cpus();
  int32_t cores = std::max(CPU_COUNT(&cpus_) / part.sharers, 1);
  threads = request.threads <= 0 ? cores : request.threads;
  if (!request.more_than_cores) threads = std::min(threads, cores);
  threads = request.replay ? 1 : std::clamp(threads, 1, 1024);
  tracing = request.records || !request.trace.empty();
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
  while (static_cast<int32_t>(ranks_.size()) < part.count) ranks_.push_back(std::make_unique<Rank>(*this));
  for (int32_t i = 0; i < part.count; ++i) ranks_[i]->begin(part.first + i);
  abort_ = 0;
  released_ = false;
  failure_.reset();
  finished_ = false;
}

bool Run::dispatch(const Request& request) {
  if (windows) windows->begin_run(request.keep);
  bool good = !request.host || host.call(request, *workers_[0]);
  int32_t with_work = 0;
  for (const Dispatch& dispatch : request.host ? host.dispatches() : request.dispatches) {
    if (!good) break;
    if (!part.has(dispatch.rank)) continue;
    with_work += !rank(dispatch.rank).has_work();
    rank(dispatch.rank).add(dispatch);
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
  const bool good = dispatch(request);
  if (world_->begin(*this, request.terms) && good) {
    for (int32_t i = 0; i < part.count; ++i) {
      if (ranks_[i]->has_work()) ranks_[i]->start(worker);
    }
    worker.work();
    if (int cancelled = process.helpers.cancel(this)) helpers_.fetch_sub(cancelled);
    while (helpers_.load() != 0) sched_yield();  // they see the end, too
  }
  if (held) sched_setaffinity(0, sizeof cpus_, &cpus_);
  { std::lock_guard lock(idle_mutex_); }  // and have left this
  if (!aborted()) far.land_all(*bell_);
  if (aborted()) keep({});
  world_->end(*this, failure_);
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
    for (int32_t i = 0; i < part.count; ++i) request.stats->ranks.push_back(ranks_[i]->all_stats());
  }
  if (!tracing) return;
  std::vector<const TraceBuffer*> buffers;
  for (int32_t i = 0; i < threads; ++i) buffers.push_back(&workers_[i]->trace);
  Failure failure;
  failure.cause = Cause::Trace;
  auto name_of = [this](const int32_t* cell) { return windows ? windows->name_of(cell) : std::string(); };
  if (request.records) {
    *request.records = records_of(buffers, *module, name_of);
  } else if (!write_trace(request.trace, buffers, start_ns, name_of, failure.text) && outcome.ok()) {
    outcome.ending = Ending::Error;
    outcome.error = describe(failure, *module);
  }
  for (int32_t i = 0; i < threads; ++i) TraceBuffer().swap(workers_[i]->trace);
  notifies_.clear();
}

void Run::finish(const Request& request, Outcome& outcome) {
  for (int32_t i = 0; i < part.count; ++i) ranks_[i]->end(outcome.kept);
  if (!failure_) {
    if (request.host) host.stage_out();
    if (request.host && shared_) outcome.written = host.parts().written();
    return;
  }
  outcome.kept = {};
  outcome.ending = failure_->cause == Cause::Deadlock      ? Ending::Deadlock
                   : failure_->cause == Cause::Interrupted ? Ending::Interrupted
                   : failure_->cause == Cause::World       ? Ending::World
                                                           : Ending::Error;
  failure_->ranks = rank_count;
  outcome.error = describe(*failure_, *module);
  if (failure_->site < module->site_count) outcome.site = module->sites[failure_->site];
  outcome.rank = failure_->rank;
  outcome.block = failure_->block;
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
  if (bell_->has_sleeper()) return bell_->ring();
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

bool Run::idle(Worker& worker) {
  if (finished() && worker.index == 0) return false;
  if ((helpers_.load() > 0 || shared_) && spin(worker)) return true;
  return worker.index == 0 ? idle_caller(worker) : idle_helper(worker);
}

bool Run::spin(Worker& worker) {
  keep_apart(worker);
  // Without a time to spin another process needs the core: not even one look is worth what it takes.
  const uint64_t until = part.spin_ns > 0 ? now_ns() + part.spin_ns : 0;
  while (until != 0 && !aborted() && now_ns() < until) {
    for (int i = 0; i < 50; ++i) {
      if (any_ready() || rung()) return true;
      if (finished()) return false;
      SpinLock::pause();
    }
    far.poll();
  }
  // By time, not by number: where other programs want the core each turn that is given away takes them as
  // long as the system allows, and who sleeps is back earlier.
  for (const uint64_t from = now_ns(); !finished() && !aborted() && now_ns() - from < part.yield_ns;) {
    far.poll();
    if (any_ready() || rung()) return true;
    sched_yield();
  }
  return false;
}

bool Run::idle_caller(Worker& worker) {
  const uint32_t rings = bell_->rings();
  if (far.poll() || rung()) return true;
  bool sleeps, alone;
  {
    std::lock_guard lock(idle_mutex_);
    bell_->announce();
    // In this order: without helpers nothing changes any more, with one everything may.
    alone = helpers_.load() == 0;
    bool interrupted = aborted() && !released_.load();
    bool nothing = !finished() && !any_ready();
    sleeps = nothing && !alone && !interrupted;
    alone = alone && nothing;
    if (!sleeps) bell_->stay_awake();
  }
  if (sleeps) {
    bell_->sleep(rings);
  } else if (alone) {
    stalled(worker, rings);
  }
  return true;
}

// `rings`: read before the last look for something to do.
void Run::stalled(Worker& worker, uint32_t rings) {
  if (aborted()) {
    TW_CHECK(!released_.load(), "a run was stopped, and something in it did not end");
    return release_parked(worker);
  }
  if (far.awaits_replies()) {
    // They ring: this part is not quiet.
    bell_->announce();
    if (!aborted()) bell_->sleep(rings);
    return bell_->stay_awake();
  }
  rests_at_.store(rings);
  turns_.fetch_add(1);
  bell_->announce();
  world_->quiet(*this);
  if (!aborted()) bell_->sleep(rings);
  bell_->stay_awake();
  turns_.fetch_add(1);
}

Run::Pulse Run::pulse() const {
  const uint64_t turns = turns_.load();
  return {turns, turns % 2 != 0 && rests_at_.load() == bell_->rings()};
}

bool Run::idle_helper(Worker& worker) {
  std::lock_guard lock(idle_mutex_);
  if (!finished() && any_ready()) return true;
  free_workers_.push_back(worker.index);
  worker.core.store(Worker::not_at_work, std::memory_order_relaxed);
  // The caller looks whether anything can still happen, or ends the run.
  if (helpers_.fetch_sub(1) == 1 && bell_->has_sleeper()) bell_->ring();
  return false;
}

void Run::rank_ended() {
  if (ranks_left_.fetch_sub(1) != 1) return;
  finished_.store(true, std::memory_order_seq_cst);
  if (bell_->has_sleeper()) bell_->ring();
}

bool Run::unthrottle(Worker& worker) {
  bool any = false;
  for (int32_t i = 0; i < part.count; ++i) any |= ranks_[i]->unthrottle(worker);
  return any;
}

std::optional<std::vector<Blocked>> Run::waits() {
  if (unthrottle(*workers_[0])) {
    bell_->ring();
    return std::nullopt;
  }
  std::vector<Blocked> result;
  for (const Waiter* waiter : cells.all()) result.push_back(blocked(*waiter));
  return result;
}

namespace {

Blocked::Does does(const Waiter& waiter) {
  if (waiter.looks.empty()) return Blocked::Does::Wait;
  switch (waiter.looks.front().kind) {
    case abi::LookKind::Read:
      return Blocked::Does::Read;
    case abi::LookKind::Test:
      return Blocked::Does::Test;
    case abi::LookKind::Update:
      return Blocked::Does::Update;
  }
  return Blocked::Does::Wait;
}

}  // namespace

Blocked Run::blocked(const Waiter& waiter) const {
  Blocked result{.site = waiter.site,
                 .cell = windows ? windows->name_of(waiter.cell) : "",
                 .seen = cell_value(waiter.cell),
                 .cmp = waiter.cmp,
                 .expected = waiter.expected,
                 .does = does(waiter)};
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

void Run::hear(Worker& worker) {
  heard_.store(bell_->rings());
  go_on(cells.scan(), worker);
}

void Run::wake(const int32_t* cell, Worker& worker) {
  if (shared_ && windows) {
    const int32_t rank = windows->rank_of(cell);
    if (rank >= 0 && !part.has(rank)) return world_->wake(rank);
    if (rank >= 0 && world_->is_watched()) world_->wake(rank);
  }
  go_on(cells.wake(cell), worker);
}

void Run::wake_parked(const int32_t* cell, Worker& worker) {
  const uint32_t* word = windows ? windows->waiter_word(cell) : nullptr;
  if (!word || __atomic_load_n(word, __ATOMIC_SEQ_CST) != 0) wake(cell, worker);
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
  // A worker that runs spinning fibers is never idle, so nothing else would unthrottle.
  if (++worker.all_yields % yields_of_a_spin == 0) {
    const uint64_t now = now_ns();
    for (int32_t i = 0; i < part.count; ++i) {
      if (ranks_[i]->is_throttled_in_vain(now)) ranks_[i]->unthrottle(worker);
    }
  }
  worker.push(Item(&job), true);
}

void Run::fail(const Failure& failure, Worker* worker) {
  if (keep(failure) && shared_) world_->failed(*this, failure);
  if (worker) release_parked(*worker);
}

void Run::stop(const Failure& failure) {
  keep(failure);
  bell_->ring();
}

bool Run::keep(const Failure& failure) {
  std::lock_guard lock(failure_mutex_);
  if (failure_) return false;
  if (aborted()) {
    // After an interrupt nothing that goes wrong matters any more.
    failure_.emplace().cause = Cause::Interrupted;
    return false;
  }
  failure_ = failure;
  abort_.store(1);
  return true;
}

abi::Status Run::fail(BlockContext& context, abi::Fault fault, uint32_t site, int64_t a, int64_t b, int64_t c,
                      int64_t d) {
  Failure failure = failure_in(context, Cause::Fault, site);
  failure.fault = fault;
  failure.numbers[0] = a;
  failure.numbers[1] = b;
  failure.numbers[2] = c;
  failure.numbers[3] = d;
  fail(failure, context.worker);
  return abi::failed;
}

abi::Status Run::fail_memory(BlockContext& context, uint64_t bytes, uint32_t site) {
  Failure failure = failure_in(context, Cause::Memory, site);
  failure.numbers[0] = static_cast<int64_t>(bytes);
  fail(failure, context.worker);
  return abi::failed;
}

abi::Status Run::fail_fibers(BlockContext& context, uint32_t site) {
  Failure failure = failure_in(context, Cause::Fibers, site);
  failure.numbers[0] = fiber_limit;
  fail(failure, context.worker);
  return abi::failed;
}

void Run::ended_badly(BlockContext& context, abi::Status status) {
  if (aborted()) return;
  Failure failure = failure_in(context, Cause::Internal, context.function->site);
  failure.text = "`" + std::string(context.function->name) + "` ended with status " + std::to_string(status) +
                 " and did not say why";
  fail(failure, context.worker);
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
  bell_->ring();
}

}  // namespace tilewire::runtime
