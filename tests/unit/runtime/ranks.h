// Several ranks with windows, and signals as generated code does them: inline where the peer is near and
// nothing has to land first, through the runtime otherwise and when compiled with hooks.
#pragma once

#include "program.h"
#include "runtime/windows.h"

namespace tilewire::runtime {

inline constexpr uint32_t ge = static_cast<uint32_t>(abi::Compare::Ge);

inline int32_t* cell_of(const abi::Window& window, int32_t rank, int64_t index) {
  return reinterpret_cast<int32_t*>(window.group->regions[rank] + window.offset) + index;
}

inline bool is_far(const abi::Window& window, int32_t peer) {
  return !window.group->waiters[peer];
}
// A notify or update of a cell of that rank is left to the runtime.
inline bool is_special(Context* context, const abi::Window& window, int32_t peer) {
  return is_far(window, peer) || __atomic_load_n(context->unlanded, __ATOMIC_RELAXED) != 0;
}

inline void notify(Context* context, const abi::Window& window, int32_t peer, int64_t index, int32_t value) {
  int32_t* cell = cell_of(window, peer, index);
  if (is_special(context, window, peer)) {
    context->api->notify(context, cell, value, static_cast<uint32_t>(abi::NotifyKind::Add), peer, 0);
    return;  // a run that is stopped says so at the next wait
  }
  __atomic_fetch_add(cell, value, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(window.group->waiters[peer], __ATOMIC_SEQ_CST) != 0) context->api->wake(context, cell);
}

inline Status wait(Context* context, const abi::Window& window, int64_t index, int32_t expected,
                   uint32_t site) {
  const int32_t* cell = cell_of(window, window.group->rank, index);
  if (__atomic_load_n(cell, __ATOMIC_ACQUIRE) >= expected) return abi::ok;
  int32_t seen;
  return context->api->wait(context, cell, expected, ge, site, &seen);
}

inline Status hooked_notify(Context* context, const abi::Window& window, int32_t peer, int64_t index,
                            int32_t value, uint32_t site) {
  return context->api->notify(context, cell_of(window, peer, index), value,
                              static_cast<uint32_t>(abi::NotifyKind::Add), peer, site);
}

inline Status hooked_wait(Context* context, const abi::Window& window, int64_t index, int32_t expected,
                          uint32_t site) {
  int32_t seen;
  return context->api->wait(context, cell_of(window, window.group->rank, index), expected, ge, site, &seen);
}

// INT32 elements to a peer's copy, or from it. Each may have acquired since the one before, so nothing is
// taken for it that was fetched earlier.
inline Status transfer(Context* context, int32_t* target, const int32_t* source, int64_t count, uint32_t bits,
                       int32_t peer, uint32_t site) {
  static std::atomic<uint32_t> acquires{0};
  int64_t one = 1;
  abi::Transfer transfer{target, source, &count, &one, &one, 1, bits, peer, site, 3, 4, {}, ++acquires};
  return context->api->transfer(context, &transfer);
}

// An element of a peer's copy, read and written as generated code does remote loads and stores.
inline int32_t load(Context* context, const abi::Window& window, int32_t peer, int64_t index) {
  if (!is_far(window, peer)) return *cell_of(window, peer, index);
  int32_t value = 0;
  transfer(context, &value, cell_of(window, peer, index), 1, 0, peer, 0);
  return value;
}
inline void store(Context* context, const abi::Window& window, int32_t peer, int64_t index, int32_t value) {
  if (!is_far(window, peer)) {
    *cell_of(window, peer, index) = value;
  } else {
    transfer(context, cell_of(window, peer, index), &value, 1, abi::ToPeer, peer, 0);
  }
}
// What was there before.
inline int32_t compare_exchange(Context* context, const abi::Window& window, int32_t peer, int64_t index,
                                int32_t expected, int32_t value) {
  int32_t* cell = cell_of(window, peer, index);
  if (is_special(context, window, peer)) {
    int64_t old = value;
    context->api->update(context, cell, expected, value, abi::Compares, 0, &old);
    return static_cast<int32_t>(old);
  }
  int32_t seen = expected;
  if (__atomic_compare_exchange_n(cell, &seen, value, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE) &&
      __atomic_load_n(window.group->waiters[peer], __ATOMIC_SEQ_CST) != 0) {
    context->api->wake(context, cell);
  }
  return seen;
}

// One dispatch of `entry` on every rank, whose body gets its windows of all slots of group 0: for each the
// address of the Window.
inline Outcome run_on_ranks(Program& program, int32_t ranks, int threads, Windows& windows, size_t slots,
                            const Body& orchestration, Request request = {}) {
  const abi::Function& entry = program.function("main", std::vector<abi::Param>(slots, scalar()));
  std::vector<std::vector<Word>> args(ranks);
  std::vector<Dispatch> dispatches;
  for (int32_t rank = 0; rank < ranks; ++rank) {
    args[rank].push_back(reinterpret_cast<Word>(&orchestration));
    for (size_t slot = 0; slot < slots; ++slot) {
      args[rank].push_back(reinterpret_cast<Word>(windows.window(0, slot, rank)));
    }
    dispatches.push_back({.rank = rank, .entry = &entry, .args = args[rank]});
  }
  request.dispatches = dispatches;
  request.ranks = ranks;
  request.windows = &windows;
  return program.run_dispatches(threads, request);
}

// The same, with one kernel task per rank that runs `body`.
inline Outcome run_on_all(Program& program, int32_t ranks, int threads, Windows& windows, size_t slots,
                          const Body& body, Request request = {}) {
  const abi::Function& kernel =
      program.function("kern", std::vector<abi::Param>(slots, scalar()), abi::MayBlock);
  Body orchestration = [&](Context* context, const Word* args) {
    return submit(context, kernel, body, {.args = {args, args + slots}});
  };
  return run_on_ranks(program, ranks, threads, windows, slots, orchestration, std::move(request));
}

inline const abi::Window& window(Word word) {
  return *reinterpret_cast<const abi::Window*>(word);
}

inline GroupLayout data_and_signal(int32_t ranks) {
  uint64_t signal_bytes = static_cast<uint64_t>(ranks) * 2 * sizeof(int32_t);
  return {{}, 4096 + signal_bytes, {{"data", 0, 4096}, {"sig", 4096, signal_bytes}}};
}

}  // namespace tilewire::runtime
