// The functions generated code calls: abi::Api.
#include "abi/abi.h"
#include "runtime/run_state.h"
#include "runtime/signals.h"
#include "runtime/transfer.h"
#include "support/print_text.h"

namespace tilewire::runtime {

namespace {

abi::Status fail(abi::Context* context, abi::Fault fault, uint32_t site, int64_t a, int64_t b, int64_t c,
                 int64_t d) noexcept {
  BlockContext& block = BlockContext::of(context);
  return block.run->fail(block, fault, site, a, b, c, d);
}

abi::Status submit(abi::Context* context, const abi::Launch* launch, abi::TaskId* id) noexcept {
  BlockContext& block = BlockContext::of(context);
  Replay* replay = block.run->replay.get();
  if (!replay) return block.owner->submit(block, *launch, id);
  *id = abi::no_task;
  if (abi::Status status = replay->submit(block, launch->site, &block.task_number)) return status;
  if (abi::Status status = block.owner->submit(block, *launch, id)) return status;
  return replay->behind(block);
}

abi::Status await(abi::Context* context, const abi::Param* param, const abi::Word* tensor, uint8_t access,
                  uint32_t site) noexcept {
  BlockContext& block = BlockContext::of(context);
  if (abi::Status status = block.owner->await(block, *param, tensor, access)) return status;
  if (Replay* replay = block.run->replay.get()) replay->note_use(block, site);
  return abi::ok;
}

abi::Status allocate(abi::Context* context, uint64_t bytes, uint32_t site, void** storage) noexcept {
  BlockContext& block = BlockContext::of(context);
  if (block.is_kernel()) return block.create(bytes, site, storage);
  return block.owner->allocate(block, bytes, site, storage);
}

abi::Status release(abi::Context* context, void* storage) noexcept {
  BlockContext& block = BlockContext::of(context);
  if (!block.is_kernel()) return block.owner->release(block, storage);
  block.release(storage);
  return abi::ok;
}

abi::Status defer(abi::Context* context, const abi::Deferred* deferred, abi::TaskId* id) noexcept {
  BlockContext& block = BlockContext::of(context);
  Replay* replay = block.run->replay.get();
  if (!replay) return block.owner->defer(block, *deferred, id);
  *id = abi::no_task;
  if (abi::Status status = replay->submit(block, deferred->site, &block.task_number)) return status;
  if (abi::Status status = block.owner->defer(block, *deferred, id)) return status;
  return replay->behind(block);
}

// An access is about to happen: what this block wrote there has landed.
abi::Status hook(abi::Context* context, const abi::HookEvent* event) noexcept {
  BlockContext& block = BlockContext::of(context);
  const bool look = event->kind == abi::HookKind::Look || event->kind == abi::HookKind::Looked;
  if (block.run->replay && look) return block.run->replay->look(block, *event);
  if (!block.run->random || !block.job || event->kind == abi::HookKind::Looked) return abi::ok;
  if (!block.job->late.empty()) {
    const int64_t strides[] = {event->row_stride_bytes, 1};
    block.job->late.land(span_of(event->address, event->extents, strides, 2, 1));
  }
  block.run->pause(block);
  if (event->kind == abi::HookKind::Look) {
    block.run->land_notifies(block, static_cast<const int32_t*>(event->address));
  }
  return block.run->aborted() ? abi::aborted : abi::ok;
}

// `busy`: the block has not left its worker meanwhile.
void note_transfer(BlockContext& block, const abi::Transfer& transfer, uint64_t start_ns, bool busy) {
  Rank& rank = *block.owner;
  uint64_t end_ns = now_ns();
  uint64_t bytes =
      static_cast<uint64_t>(element_count(transfer.extents, transfer.rank)) * transfer.element_bytes;
  if (busy) block.other_ns += end_ns - start_ns;
  rank.transfer_ns.fetch_add(end_ns - start_ns, std::memory_order_relaxed);
  rank.bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (!block.run->tracing) return;
  TraceEvent event = block.event(TraceEvent::Kind::Transfer, transfer.site, start_ns, end_ns);
  event.bytes = bytes;
  event.peer = transfer.peer;
  block.worker->trace.push_back(event);
}

// Whether the write may, and is to, land later. Those to the own copy never do: accesses to it through other
// tensors are not announced.
bool lands_late(const BlockContext& block, const abi::Transfer& transfer) {
  const Run& run = *block.run;
  return (transfer.bits & abi::ToPeer) && block.job && (run.module->bits & abi::Hooks) && run.windows &&
         run.windows->rank_of(transfer.target) != block.rank && !block.worker->choices.one_in(4);
}

void move(const Copy& region, const abi::Transfer& transfer) {
  if (transfer.bits & abi::AtomicAdd) {
    add(region, transfer.dtype);
  } else {
    copy(region);
  }
}

// What goes to far peers lands late by itself.
[[gnu::noinline]] abi::Status transfer_watched(BlockContext& block, const abi::Transfer& transfer,
                                               const Copy& region, bool far) {
  Run& run = *block.run;
  run.pause(block);
  uint64_t start_ns = run.timing ? now_ns() : 0;
  abi::Status status = abi::ok;
  if (!far && run.random && lands_late(block, transfer)) {
    block.job->late.add(region, transfer.bits, transfer.dtype);
  } else {
    if (block.job) block.job->late.land_all();
    if (far) {
      status = run.far.transfer(block, region, transfer);
    } else {
      move(region, transfer);
    }
  }
  if (run.timing) note_transfer(block, transfer, start_ns, !far);
  return status;
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
  const bool far = block.run->far.has(transfer->bits & abi::ToPeer ? transfer->target : transfer->source);
  if (block.run->random || block.run->timing) return transfer_watched(block, *transfer, region, far);
  if (far) return block.run->far.transfer(block, region, *transfer);
  move(region, *transfer);
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
  block.owner->step(block, static_cast<abi::ParallelStep>(step));
}

void print(abi::Context* context, const abi::Print* what) noexcept {
  BlockContext& block = BlockContext::of(context);
  const abi::Site& site = block.run->module->sites[what->site];
  write_out(
      print_text(*what, {block.rank, block.block_index, abi::lanes_of(block.function->bits), site.line}));
}

}  // namespace

extern const abi::Api runtime_api;
const abi::Api runtime_api = {fail,     submit,   await,    allocate, release, wait,  wake,
                              yield,    hook,     transfer, defer,    notify,  test,  window,
                              dispatch, parallel, look,     poll,     update,  print, land};

}  // namespace tilewire::runtime
