// Where the ranks of a run live, and how ranks elsewhere are reached.
//
// A world is a list of processes. For a call each of them has a Run, with the ranks that live there, and the
// Run handles only these. What it needs of the others goes through this interface: memory of their windows,
// waking them, agreeing on the call and its outcome, stopping together, and detecting a deadlock.
// In the local world every rank is a fiber of this process.
//
// None of it is on a fast path. Loads, stores and signals go to mapped addresses, inline in generated code;
// `wake` is called when a notify finds a parked fiber, `quiet` when nothing is left to do.
//
// The world may call these functions of a Run between `begin` and `end`, from any thread: stop, pulse,
// aborted. `waits` only inside `quiet`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/bell.h"
#include "runtime/failure.h"

namespace tilewire::runtime {

class FarLink;
class Run;
struct GroupLayout;

// The regions of a communication group as this process reaches them, by their number in the group. Those of
// ranks that live here are zeroed and belong to this object.
class GroupMemory {
 public:
  virtual ~GroupMemory() = default;
  // Zeroes a region again, of a rank that lives here.
  virtual void clear(size_t member) = 0;

  uint64_t mapped_bytes = 0;  // of each region: whole pages
  // Where they start. That of a rank which only messages reach is in reserved memory (reserved_range.h), so
  // that an address still names a rank and an offset.
  std::vector<std::byte*> regions;
  // Non-zero while a fiber is parked on a cell of the region; null: only messages reach it.
  std::vector<uint32_t*> waiters;
  // The host of each, as any number; empty: all are on one.
  std::vector<int32_t> hosts;
};

// A value that must be the same in all processes of a call.
struct Term {
  std::string name;
  std::string value;
};

class World {
 public:
  virtual ~World() = default;

  // This process's part in a call: the ranks [first, first + count).
  struct Part {
    int32_t first = 0;
    int32_t count = 0;
    Bell* bell = nullptr;       // rung from elsewhere; null: the run uses its own
    int32_t sharers = 1;        // processes that share the cores this one may use
    uint64_t spin_ns = 20'000;  // a worker spins that long for something to do
    uint64_t yield_ns = 0;      // and yields to other threads for so long, before it leaves or sleeps

    bool has(int32_t rank) const { return rank >= first && rank - first < count; }
  };
  virtual Part part(int32_t ranks) const = 0;

  // Memory for a group of a call on `ranks` ranks. All processes map the same groups in the same order. Null,
  // in all of them, if one has not enough memory.
  virtual std::unique_ptr<GroupMemory> map(const GroupLayout& layout, int32_t ranks) = 0;
  // Why `map` returned null, if not for want of memory: the call has ended, in all processes.
  virtual std::optional<Failure> refusal() { return std::nullopt; }

  // Before any rank starts. Windows of ranks that live here are zeroed and filled; when this returns those of
  // all others are. Also called when the run has failed already. False: no rank may start, because terms
  // differ or a process failed, and the run has the error.
  virtual bool begin(Run& run, std::span<const Term> terms) = 0;
  // No rank of this process is active any more. Returns when that is so everywhere. `failure`: what
  // stopped this process, if anything; afterwards what all of them report.
  virtual void end(Run& run, std::optional<Failure>& failure) = 0;

  // A rank elsewhere is parked on a cell that was written: lets its process look. Also for a rank that lives
  // here.
  virtual void wake(int32_t rank) = 0;
  // A fiber of this process begins (1) or ceases (-1) to be parked on a cell of that rank, which lives
  // elsewhere and whose memory this process maps: whoever writes there wakes this process, too. A world of
  // one process has no such fibers.
  virtual void watch(int32_t /*rank*/, int32_t /*change*/) {}
  // Fibers elsewhere are parked on cells of ranks that live here: a write to one takes `wake`, too.
  virtual bool is_watched() const { return false; }
  // The run failed here first: stops the parts elsewhere.
  virtual void failed(Run& run, const Failure& failure) = 0;
  // Nothing can happen here any more unless a rank elsewhere acts. If all processes are in that state it is a
  // deadlock, unless a part was throttled (Run::waits), and the world stops all parts with the waits of all.
  // Called on the thread of the run's caller, again whenever the bell has rung without effect.
  virtual void quiet(Run& run) = 0;

  // Reaches the ranks that only messages reach; null: there are none. A part then has a bell, which a reply
  // rings, too.
  virtual FarLink* far() { return nullptr; }
};

// All ranks are fibers of this process.
World& local_world();

}  // namespace tilewire::runtime
