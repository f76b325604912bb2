// What a fiber or worker runs: a block of a kernel or an orchestration function, with its context.
#pragma once

#include <cstdint>
#include <span>

#include "abi/abi.h"
#include "runtime/arena.h"
#include "runtime/fiber.h"
#include "runtime/late_writes.h"
#include "runtime/polls.h"
#include "runtime/read_ahead.h"
#include "runtime/storage.h"
#include "runtime/trace.h"

namespace tilewire::runtime {

class Job;
class Rank;
class Run;
class Worker;
struct ReplayAgent;
struct Task;

// abi::Context, followed by the runtime's own state.
struct BlockContext : abi::Context {
  Run* run = nullptr;
  Rank* owner = nullptr;     // null in a host function
  Worker* worker = nullptr;  // its current worker; read again after everything that may suspend
  Job* job = nullptr;        // null for kernels that cannot block: they run on the worker's own stack
  const abi::Function* function = nullptr;
  int32_t task_number = 0;  // of what it submits, in a run that follows a schedule
  uint64_t other_ns = 0;    // not computing, since it was last resumed; in runs that are timed
  StorageList created{};    // by a kernel: its own, until its block ends

  // Tensors that a kernel creates. Blocks run on any worker, so they have nothing to do with the rank's.
  abi::Status create(uint64_t bytes, uint32_t site, void** storage);
  void release(void* storage);
  void release_all();

  // A trace event of the job.
  TraceEvent event(TraceEvent::Kind kind, uint32_t site, uint64_t start_ns, uint64_t end_ns) const;
  const char* kernel_name() const;  // empty in an orchestration or host function
  bool is_kernel() const;           // or an orchestration or host function
  static BlockContext& of(abi::Context* context) { return *static_cast<BlockContext*>(context); }
};

// A wait for a cell, in a list of Cells while parked, of a fiber or a deferred task. A polling loop
// that looked at several cells waits for any of them.
struct Waiter {
  const int32_t* cell = nullptr;
  uint32_t* word = nullptr;  // of the cell's region: non-zero while a fiber is parked there
  int32_t expected = 0;
  int32_t seen = 0;
  uint32_t cmp = 0;
  uint32_t site = 0;
  Job* job = nullptr;
  Task* task = nullptr;
  Waiter* next = nullptr;
  Waiter* previous = nullptr;
  std::span<Look> looks = {};  // of a polling loop; empty: a wait

  bool waits_for_any() const { return looks.size() > 1; }
};

// A fiber and what it runs.
class Job final : public Fiber {
 public:
  // What the worker does once the fiber has left its stack: before that, it must not be resumed.
  enum class After : uint8_t { End, Park, Await, Throttle, Yield, Pause, Stop };

  // Suspends; `after` is done on the worker's stack.
  void leave(After what) {
    after = what;
    suspend();
  }

  BlockContext context;
  Task* task = nullptr;  // null: the orchestration function of `context.owner`
  Task* awaits = nullptr;
  Arena arena;
  Waiter waiter;
  LateWrites late;                // with a random schedule
  LateNotifies notifies;          // likewise
  ReadAhead ahead;                // of the task, from far peers
  ReplayAgent* replay = nullptr;  // in a run that follows a schedule
  After after = After::End;

  Polls polls;

 private:
  void body() override;
  void run_block();
  abi::Status wait_for_conditions();
};

inline bool BlockContext::is_kernel() const {
  return owner && (!job || job->task);
}
inline const char* BlockContext::kernel_name() const {
  return is_kernel() ? function->name : "";
}

}  // namespace tilewire::runtime
