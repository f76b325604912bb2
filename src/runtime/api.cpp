// The functions generated code calls: abi::Api.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "abi/abi.h"
#include "runtime/run_state.h"
#include "runtime/transfer.h"

namespace tilewire::runtime {
namespace {

// A wait looks so often before it gives up its worker, if nothing else is ready there.
constexpr int spin_count = 4000;

abi::Status fail(abi::Context* context, abi::Fault fault, uint32_t site, int64_t a, int64_t b, int64_t c,
                 int64_t d) noexcept {
  BlockContext& block = BlockContext::of(context);
  return block.run->fail(block, fault, site, a, b, c, d);
}

abi::Status submit(abi::Context* context, const abi::Launch* launch, abi::TaskId* id) noexcept {
  BlockContext& block = BlockContext::of(context);
  return block.owner->submit(block, *launch, id);
}

abi::Status await(abi::Context* context, const abi::Param* param, const abi::Word* tensor, uint8_t access,
                  uint32_t) noexcept {
  BlockContext& block = BlockContext::of(context);
  return block.owner->await(block, *param, tensor, access);
}

abi::Status allocate(abi::Context* context, uint64_t bytes, uint32_t site, void** storage) noexcept {
  BlockContext& block = BlockContext::of(context);
  return block.owner->allocate(block, bytes, site, storage);
}

abi::Status release(abi::Context* context, void* storage) noexcept {
  BlockContext& block = BlockContext::of(context);
  return block.owner->release(block, storage);
}

// Looks at the cell a while; worth it only while another worker may bring the value.
bool met_soon(const BlockContext& block, Waiter& waiter) {
  const Run& run = block.owner->run;
  int looks = run.threads == 1 || block.worker->queue.size() != 0 ? 1 : spin_count;
  for (int i = 0; i < looks && !run.aborted(); ++i) {
    waiter.seen = cell_value(waiter.cell);
    if (holds(waiter.seen, waiter.cmp, waiter.expected)) return true;
    SpinLock::pause();
  }
  return false;
}

abi::Status cannot_block(BlockContext& block, const char* op) {
  Run& run = block.owner->run;
  Failure failure;
  failure.cause = Cause::Internal;
  failure.rank = block.rank;
  failure.kernel = block.kernel_name();
  failure.text =
      std::string(op) + " in `" + block.function->name + "`, which was compiled as one that never blocks";
  run.fail(std::move(failure), block.worker);
  return abi::failed;
}

void note_wait(BlockContext& block, uint32_t site, uint64_t start_ns) {
  Rank& rank = *block.owner;
  uint64_t end_ns = now_ns();
  rank.parks.fetch_add(1, std::memory_order_relaxed);
  rank.wait_ns.fetch_add(end_ns - start_ns, std::memory_order_relaxed);
  if (!rank.run.tracing) return;
  block.worker->trace.push_back({TraceEvent::Kind::Wait, block.function->name, &rank.run.module->sites[site],
                                 block.rank, block.block_index, 1, start_ns, end_ns});
}

abi::Status wait(abi::Context* context, const int32_t* cell, int32_t expected, uint32_t cmp, uint32_t site,
                 int32_t* seen) noexcept {
  BlockContext& block = BlockContext::of(context);
  Rank& rank = *block.owner;
  if (!block.job) return cannot_block(block, "a wait");
  Job& job = *block.job;
  Waiter& waiter = job.waiter;
  waiter.cell = cell;
  waiter.expected = expected;
  waiter.cmp = cmp;
  waiter.site = site;
  job.poll_count = 0;
  if (!met_soon(block, waiter)) {
    waiter.word = rank.run.windows ? rank.run.windows->waiter_word(cell) : nullptr;
    uint64_t start_ns = rank.run.timing ? now_ns() : 0;
    job.leave(Job::After::Park);
    if (rank.run.timing) note_wait(block, site, start_ns);
  }
  rank.run.step();
  if (rank.run.aborted()) return abi::aborted;
  *seen = waiter.seen;
  return abi::ok;
}

void wake(abi::Context* context, const int32_t* cell) noexcept {
  BlockContext& block = BlockContext::of(context);
  block.owner->run.wake(cell, *block.worker);
}

// Whether a test of this cell saw a value that the fiber has not seen there since it last did anything else.
bool sees_news(Job& job, const int32_t* cell) {
  int32_t value = cell_value(cell);
  Job::Poll* end = job.polls + std::min<size_t>(job.poll_count, std::size(job.polls));
  Job::Poll* known = std::find_if(job.polls, end, [&](const Job::Poll& poll) { return poll.cell == cell; });
  if (known != end) return std::exchange(known->value, value) != value;
  job.polls[job.poll_count++ % std::size(job.polls)] = {cell, value};
  return true;
}

abi::Status yield(abi::Context* context, const int32_t* cell, uint32_t site) noexcept {
  BlockContext& block = BlockContext::of(context);
  Run& run = block.owner->run;
  if (!block.job) return cannot_block(block, "a test");
  Job& job = *block.job;
  job.polls_changed = sees_news(job, cell);
  job.waiter.cell = cell;
  job.waiter.site = site;
  job.polling = true;
  job.leave(Job::After::Yield);
  job.polling = false;
  if (!run.aborted()) return abi::ok;
  run.stopped_polling(job);
  return abi::aborted;
}

abi::Status hook(abi::Context*, const abi::HookEvent*) noexcept {
  return abi::ok;
}

abi::Status transfer(abi::Context* context, const abi::Transfer* transfer) noexcept {
  BlockContext& block = BlockContext::of(context);
  Copy region{.target = static_cast<std::byte*>(transfer->target),
              .source = static_cast<const std::byte*>(transfer->source),
              .extents = transfer->extents,
              .target_strides = transfer->target_strides,
              .source_strides = transfer->source_strides,
              .rank = transfer->rank,
              .element_bytes = transfer->element_bytes};
  uint64_t start_ns = block.run->timing ? now_ns() : 0;
  if (transfer->bits & abi::AtomicAdd) {
    add(region, transfer->dtype);
  } else {
    copy(region);
  }
  if (block.run->timing) {
    Rank& rank = *block.owner;
    rank.transfer_ns.fetch_add(now_ns() - start_ns, std::memory_order_relaxed);
    rank.bytes.fetch_add(
        static_cast<uint64_t>(element_count(region.extents, region.rank)) * region.element_bytes,
        std::memory_order_relaxed);
  }
  return abi::ok;
}

abi::Status window(abi::Context* context, uint32_t number, int64_t bytes, uint32_t site) noexcept {
  BlockContext& block = BlockContext::of(context);
  return block.run->host.window(block, number, bytes, site);
}

abi::Status dispatch(abi::Context* context, const abi::DeviceCall* call) noexcept {
  BlockContext& block = BlockContext::of(context);
  return block.run->host.dispatch(block, *call);
}

void parallel(abi::Context* context, uint32_t step) noexcept {
  BlockContext& block = BlockContext::of(context);
  block.owner->parallel(static_cast<abi::ParallelStep>(step));
}

}  // namespace

extern const abi::Api runtime_api;
const abi::Api runtime_api = {fail, submit,   await,   allocate, release, wait,   wake,     yield,
                              hook, transfer, nullptr, nullptr,  nullptr, window, dispatch, parallel};

}  // namespace tilewire::runtime
