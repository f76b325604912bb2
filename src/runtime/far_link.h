// Memory of ranks that only messages reach: what the runtime asks of a world whose processes are on several
// hosts.
//
// Every function may be called from any worker thread and returns at once. What takes a round trip completes
// later: the link stores 1 to `done.cell` and rings the bell of this process (World::Part::bell), and the
// fiber that is parked on the cell continues. So a fiber waits for a reply as it waits for a signal.
//
// Order: what one process sends to another is applied there in the order in which it was sent. Nothing orders
// messages to different processes; the release rule (08-processes) is the caller's, with `unlanded` and
// `flush`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/transfer.h"

namespace tilewire::runtime {

class GroupMemory;

// A place in a far region: `offset` bytes from its start.
struct FarPlace {
  const GroupMemory* memory = nullptr;
  int32_t member = 0;  // of the group
  uint64_t offset = 0;
};

// Lives until it is completed or forgotten.
struct FarDone {
  int32_t cell = 0;
};

class FarLink {
 public:
  virtual ~FarLink() = default;

  // The process in which a rank of the group lives.
  virtual int32_t process_of(const GroupMemory& memory, int32_t member) const = 0;

  // Writes (bits: abi::AtomicAdd adds) `region` at `to`; region.target is not used, its strides are those
  // there. The source has been read when this returns.
  virtual void put(const FarPlace& to, const Copy& region, uint32_t bits, uint8_t dtype) = 0;
  // Reads the region at `from` into region.target; region.source is not used.
  virtual void get(const FarPlace& from, const Copy& region, FarDone& done) = 0;
  // Writes a cell, after everything that was sent to its process. `kind`: an abi::NotifyKind.
  virtual void notify(const FarPlace& cell, int32_t value, uint32_t kind) = 0;
  // An atomic update that returns the old value. `bits`: abi::UpdateBits.
  virtual void update(const FarPlace& element, int64_t expected, int64_t value, uint32_t bits, int64_t* old,
                      FarDone& done) = 0;

  // Non-zero while something that was sent by this process may not have been applied.
  virtual const uint32_t* unlanded() const = 0;
  // Completes when all that was sent so far to processes other than `process` (-1: to any) has been applied.
  // Returns true if that is so already; then `done` is not used.
  virtual bool flush(int32_t process, FarDone& done) = 0;

  // Cancels a wait, because the run was stopped. When this returns, neither `done` nor what was
  // to be written with it (region.target, old) is touched again. Also valid for one that has been completed.
  virtual void forget(FarDone& done) = 0;

  // Makes progress on messages; returns false if there was nothing to do. Called by waiting or idle workers.
  virtual bool poll() = 0;
};

}  // namespace tilewire::runtime
