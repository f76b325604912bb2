// Signals, as far as generated code does not do them inline: waits that have to wait, notifies that have to
// be sent or must not come too early, and with hooks all of them.
#include "runtime/signals.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/run_state.h"

namespace tilewire::runtime {
namespace {

// How often a wait looks before it gives up its worker, when nothing else is ready there. The first looks
// follow each other without a pause: that is when a signal of another core most likely arrives, and a pause
// takes longer than its way.
constexpr int eager_looks = 1000;
constexpr int all_looks = 5000;
// Looks between two polls for messages and other work; with pauses between them they take longer.
constexpr int looks_per_poll = 64;
constexpr int slow_looks_per_poll = 8;

bool met(Waiter& waiter) {
  if (waiter.waits_for_any()) return any_holds(waiter.looks);
  waiter.seen = cell_value(waiter.cell);
  return holds(waiter.seen, waiter.cmp, waiter.expected);
}

// Looks a while; worth it only while another worker, here or elsewhere, may bring the value and this one has
// nothing else to do.
template <class Met>
bool seen_soon(const BlockContext& block, Met met) {
  if (met()) return true;
  Run& run = *block.run;
  if (run.random || !run.has_other_workers()) return false;
  const ReadyQueue& queue = block.worker->queue;
  for (int i = 0; i < all_looks && queue.size() == 0 && !run.aborted(); ++i) {
    if (met()) return true;
    if ((i + 1) % (i < eager_looks ? looks_per_poll : slow_looks_per_poll) == 0) {
      run.far.poll();
      if (run.any_ready() || run.rung()) return false;
    }
    if (i == eager_looks) run.keep_apart(*block.worker);
    if (i >= eager_looks) SpinLock::pause();
  }
  return false;
}

}  // namespace

bool met_soon(const BlockContext& block, Waiter& waiter) {
  return seen_soon(block, [&] { return met(waiter); });
}

abi::Status cannot_block(BlockContext& block, const char* op) {
  Failure failure;
  failure.cause = Cause::Internal;
  failure.rank = block.rank;
  failure.kernel = block.kernel_name();
  failure.text =
      std::string(op) + " in `" + block.function->name + "`, which was compiled as one that never blocks";
  block.run->fail(failure, block.worker);
  return abi::failed;
}

namespace {

bool tries(const Look& look) {
  return look.kind == abi::LookKind::Update;
}

// The rank of another process whose cell it was; -1: one that lives here, or none.
int32_t rank_elsewhere(const Run& run, const Look& look) {
  const int32_t rank = tries(look) && run.windows ? run.windows->rank_of(look.cell) : -1;
  return rank >= 0 && !run.part.has(rank) ? rank : -1;
}

// Whether the round that made the look may not sleep: it has changed the cell, or nothing tells this process
// when the cell, which only messages reach, is written.
bool keeps_awake(const Run& run, const Look& look) {
  if (!tries(look)) return false;
  return look.cmp == static_cast<uint32_t>(abi::Compare::Ge) ||
         (rank_elsewhere(run, look) >= 0 && !look.word);
}

// Tells the others that cells of theirs are looked at.
void watch(Run& run, std::span<const Look> looks, int32_t change) {
  for (const Look& look : looks) {
    if (const int32_t rank = rank_elsewhere(run, look); rank >= 0) run.watch(rank, change);
  }
}

void trace_wait(BlockContext& block, const Waiter& waiter, uint64_t start_ns, uint64_t end_ns) {
  Run& run = *block.run;
  TraceEvent event = block.event(TraceEvent::Kind::Wait, waiter.site, start_ns, end_ns);
  event.cell = waiter.cell;
  event.value = waiter.expected;
  event.cmp = waiter.cmp;
  event.notify = run.last_notify(waiter.cell);
  block.worker->trace.push_back(event);
}

// Until the condition of the fiber's waiter holds or the run is over.
void wait_timed(BlockContext& block, Job& job) {
  Rank& rank = *block.owner;
  uint64_t start_ns = now_ns();
  bool parks = !met_soon(block, job.waiter);
  block.other_ns += now_ns() - start_ns;
  if (parks) {
    job.leave(Job::After::Park);
    rank.parks.fetch_add(1, std::memory_order_relaxed);
  }
  uint64_t end_ns = now_ns();
  rank.wait_ns.fetch_add(end_ns - start_ns, std::memory_order_relaxed);
  if (block.run->tracing) trace_wait(block, job.waiter, start_ns, end_ns);
}

}  // namespace

abi::Status wait(abi::Context* context, const int32_t* cell, int32_t expected, uint32_t cmp, uint32_t site,
                 int32_t* seen) noexcept {
  BlockContext& block = BlockContext::of(context);
  Run& run = *block.run;
  if (!block.job) return cannot_block(block, "a wait");
  if (run.replay) {
    const ReplayStop stop{ScheduleEvent::Wait, cell, expected, cmp, site};
    return run.replay->wait(block, stop, seen);
  }
  if (run.random) {
    run.pause(block);
    run.land_notifies(block);  // they can only land here while it is parked
  }
  Job& job = *block.job;
  Waiter& waiter = job.waiter;
  waiter.cell = cell;
  waiter.word = run.windows ? run.windows->waiter_word(cell) : nullptr;
  waiter.expected = expected;
  waiter.cmp = cmp;
  waiter.site = site;
  waiter.looks = {};
  if (run.timing) {
    wait_timed(block, job);
  } else if (!met_soon(block, waiter)) {
    job.leave(Job::After::Park);
  }
  if (run.aborted()) return abi::aborted;
  *seen = waiter.seen;
  return abi::ok;
}

void wake(abi::Context* context, const int32_t* cell) noexcept {
  BlockContext& block = BlockContext::of(context);
  block.run->wake(cell, *block.worker);
}

abi::Status yield(abi::Context* context, const int32_t*, uint32_t) noexcept {
  BlockContext& block = BlockContext::of(context);
  Run& run = *block.run;
  if (!block.job) return cannot_block(block, "a test");
  if (!run.replay) block.job->leave(Job::After::Yield);
  return run.aborted() ? abi::aborted : abi::ok;
}

void look(abi::Context* context, const int32_t* cell, int32_t value, uint32_t cmp, uint32_t site,
          uint32_t kind) noexcept {
  BlockContext& block = BlockContext::of(context);
  uint32_t* word = block.run->windows ? block.run->windows->waiter_word(cell) : nullptr;
  if (block.job) block.job->polls.look({cell, word, value, cmp, site, static_cast<abi::LookKind>(kind)});
}

abi::Status poll(abi::Context* context, const abi::Word* carried, uint32_t count, uint32_t depth,
                 uint32_t again, uint32_t) noexcept {
  BlockContext& block = BlockContext::of(context);
  Run& run = *block.run;
  if (!block.job) return cannot_block(block, "a poll");
  Job& job = *block.job;
  if (run.replay) job.replay->polls = true;
  if (again == 0) {
    job.polls.begin({carried, count}, depth);
    return run.aborted() ? abi::aborted : abi::ok;
  }
  const std::span<Look> looks = job.polls.end_round({carried, count}, depth);
  if (run.replay) {
    if (std::any_of(looks.begin(), looks.end(), tries))
      return run.aborted() ? abi::aborted : abi::ok;  // each of them is an event
    job.replay->repeats.assign(looks.begin(), looks.end());
    if (!looks.empty()) job.polls.changed(depth);
    // Elements of tensors that are not windows: a look at them is not an event.
    if (std::any_of(looks.begin(), looks.end(), [](const Look& look) { return !look.word; })) {
      return run.replay->behind(block);
    }
    return run.aborted() ? abi::aborted : abi::ok;
  }
  const bool awake =
      std::any_of(looks.begin(), looks.end(), [&](const Look& look) { return keeps_awake(run, look); });
  if (looks.empty() || awake) {
    if (awake) job.polls.changed(depth);
    job.leave(Job::After::Yield);
    return run.aborted() ? abi::aborted : abi::ok;
  }
  if (run.random) {
    run.pause(block);
    run.land_notifies(block);
  }
  const Look& first = looks.front();
  Waiter& waiter = job.waiter;
  waiter.cell = first.cell;
  waiter.word = first.word;
  waiter.expected = first.value;
  waiter.cmp = first.cmp;
  waiter.site = first.site;
  waiter.looks = looks;
  watch(run, looks, 1);
  if (run.timing) {
    wait_timed(block, job);
  } else if (!met_soon(block, waiter)) {
    job.leave(Job::After::Park);
  }
  watch(run, looks, -1);
  job.polls.changed(depth);
  return run.aborted() ? abi::aborted : abi::ok;
}

// Everything this block wrote to peers has landed before the cell changes.
abi::Status notify(abi::Context* context, int32_t* cell, int32_t value, uint32_t kind, int32_t peer,
                   uint32_t site) noexcept {
  BlockContext& block = BlockContext::of(context);
  Run& run = *block.run;
  if (run.random) run.pause(block);
  if (run.replay) {
    const ReplayStop stop{.event = ScheduleEvent::Notify, .cell = cell, .site = site};
    if (abi::Status status = run.replay->before(block, stop)) return status;
  }
  if (block.job) block.job->late.land_all();
  const bool far = run.far.has(cell);
  if (far && run.random && block.job) run.land_notifies(block);  // those before it land before it
  if (!(kind & abi::released)) {
    if (abi::Status status = run.far.release(block, cell, site)) return status;
  }
  if (run.tracing) {
    const uint64_t now = now_ns();
    TraceEvent event = block.event(TraceEvent::Kind::Notify, site, now, now);
    event.cell = cell;
    event.value = value;
    event.notify = run.note_notify(cell);
    event.peer = peer;
    block.worker->trace.push_back(event);
  }
  const auto how = static_cast<abi::NotifyKind>(kind & ~abi::released);
  if (run.replay) {
    if (!run.replay->keeps(block, cell, value, how)) write_cell(cell, value, how);
    return run.replay->behind(block);
  }
  if (far) return run.far.notify(block, cell, value, how);
  if (run.random && block.job) {
    // Later ones of the same block never land before this one.
    block.job->notifies.add(cell, value, how);
    if (block.worker->choices.one_in(4)) run.land_notifies(block);
    run.pause(block);
    return run.aborted() ? abi::aborted : abi::ok;
  }
  write_cell(cell, value, how);
  run.wake_parked(cell, *block.worker);
  return run.aborted() ? abi::aborted : abi::ok;
}

abi::Status land(abi::Context* context, uint32_t site) noexcept {
  BlockContext& block = BlockContext::of(context);
  return block.run->far.land(block, site);
}

abi::Status test(abi::Context* context, const int32_t* cell, int32_t expected, uint32_t cmp, uint32_t site,
                 int32_t* held) noexcept {
  BlockContext& block = BlockContext::of(context);
  Run& run = *block.run;
  if (run.replay) {
    const ReplayStop stop{ScheduleEvent::Test, cell, expected, cmp, site};
    return run.replay->test(block, stop, held);
  }
  if (run.random) {
    run.pause(block);
    run.land_notifies(block, cell);
  }
  *held = holds(cell_value(cell), cmp, expected);
  if (!*held) return yield(context, cell, site);
  if (run.tracing) {
    uint64_t now = now_ns();
    trace_wait(block, {.cell = cell, .expected = expected, .cmp = cmp, .site = site}, now, now);
  }
  return run.aborted() ? abi::aborted : abi::ok;
}

}  // namespace tilewire::runtime
