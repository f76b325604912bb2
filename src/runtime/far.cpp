#include "runtime/far.h"

#include "runtime/run_state.h"
#include "runtime/signals.h"

namespace tilewire::runtime {

bool Far::has(const void* address) const {
  return link_ && run_.windows && run_.windows->far_place(address).memory;
}

// Parked on the word that the link sets as on a signal cell; nobody's waiter word is raised for it, and the
// bell that the link rings makes a worker look.
abi::Status Far::await(BlockContext& block, FarDone& done, uint32_t site) {
  Job& job = *block.job;
  Waiter& waiter = job.waiter;
  waiter.cell = &done.cell;
  waiter.word = nullptr;
  waiter.expected = 1;
  waiter.cmp = static_cast<uint32_t>(abi::Compare::Ge);
  waiter.site = site;
  waiter.looks = {};
  awaited_.fetch_add(1);
  const uint64_t start_ns = run_.timing ? now_ns() : 0;
  const bool parks = !met_soon(block, waiter);
  if (run_.timing) block.other_ns += now_ns() - start_ns;
  if (parks) job.leave(Job::After::Park);
  awaited_.fetch_sub(1);
  if (cell_value(&done.cell) == 0) link_->forget(done);
  return run_.aborted() ? abi::aborted : abi::ok;
}

abi::Status Far::flush(BlockContext& block, int32_t process, uint32_t site) {
  FarDone done;
  if (link_->flush(process, done)) return abi::ok;
  if (block.job) return await(block, done, site);
  link_->forget(done);
  return cannot_block(block, "a notify");
}

abi::Status Far::land(BlockContext& block, uint32_t site) {
  return link_ ? flush(block, -1, site) : abi::ok;
}

abi::Status Far::release(BlockContext& block, const void* cell, uint32_t site) {
  if (!link_ || !run_.windows) return abi::ok;
  const int32_t rank = run_.windows->rank_of(cell);
  if (rank < 0 || run_.part.has(rank)) return abi::ok;
  const FarPlace place = run_.windows->far_place(cell);
  return flush(block, place.memory ? link_->process_of(*place.memory, place.member) : -1, site);
}

abi::Status Far::notify(BlockContext&, const int32_t* cell, int32_t value, abi::NotifyKind kind) {
  link_->notify(run_.windows->far_place(cell), value, static_cast<uint32_t>(kind));
  return run_.aborted() ? abi::aborted : abi::ok;
}

abi::Status Far::update(BlockContext& block, const void* element, int64_t expected, int64_t value,
                        uint32_t bits, uint32_t site, int64_t* old) {
  if (!block.job) return cannot_block(block, "an atomic update");
  FarDone done;
  link_->update(run_.windows->far_place(element), expected, value, bits, old, done);
  return await(block, done, site);
}

abi::Status Far::transfer(BlockContext& block, const Copy& region, const abi::Transfer& transfer) {
  if (element_count(region.extents, region.rank) == 0) return abi::ok;
  if (transfer.bits & abi::ToPeer) {
    if (block.job) block.job->ahead.forget(hull_of_target(region));
    link_->put(run_.windows->far_place(region.target), region, transfer.bits, transfer.dtype);
    return run_.aborted() ? abi::aborted : abi::ok;
  }
  if (!block.job) return cannot_block(block, "a transfer");
  // An orchestration function also acquires where it waits for tasks.
  const uint64_t bytes = block.job->task ? dense_bytes_of_source(region) : 0;
  if (bytes == 0) return fetch(block, region, transfer.site);
  ReadAhead& ahead = block.job->ahead;
  if (ahead.serve(region, bytes, transfer.acquires)) return run_.aborted() ? abi::aborted : abi::ok;
  const ReadAhead::Fetch more = ahead.plan(region.source, bytes, run_.windows->bytes_in_slot(region.source));
  if (!more.memory) return fetch(block, region, transfer.site);
  const int64_t count = static_cast<int64_t>(more.bytes), one = 1;
  const Copy line{more.memory, region.source, &count, &one, &one, 1, 1};
  if (abi::Status status = fetch(block, line, transfer.site)) return status;
  ahead.arrived();
  ahead.serve(region, bytes, transfer.acquires);
  return abi::ok;
}

abi::Status Far::fetch(BlockContext& block, const Copy& region, uint32_t site) {
  FarDone done;
  link_->get(run_.windows->far_place(region.source), region, done);
  return await(block, done, site);
}

void Far::land_all(Bell& bell) {
  FarDone done;
  if (!link_ || link_->flush(-1, done)) return;
  while (cell_value(&done.cell) == 0 && !run_.aborted()) {
    const uint32_t rings = bell.rings();
    if (link_->poll()) continue;
    bell.announce();
    if (cell_value(&done.cell) == 0 && !run_.aborted()) bell.sleep(rings);
    bell.stay_awake();
  }
  if (cell_value(&done.cell) == 0) link_->forget(done);
}

}  // namespace tilewire::runtime
