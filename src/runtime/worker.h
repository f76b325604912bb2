// One thread of a run: it takes ready items and runs them.
//
// Kernels that cannot block run on the thread's own stack; the others, and orchestration functions, on
// fibers. A fiber that waits frees its worker for something else.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/job.h"
#include "runtime/ready_queue.h"
#include "runtime/run.h"
#include "runtime/schedule.h"
#include "runtime/task.h"
#include "runtime/trace.h"

namespace tilewire::runtime {

class Run;

class Worker {
 public:
  Worker(Run& run, int32_t index);

  // Works until the run ends or, for helpers, nothing is left to do.
  void work();

  // Runs blocks [begin, end) of a kernel that cannot block, here and now. `deferred`: of its task, for
  // traces.
  abi::Status run_blocks(Rank& rank, const abi::Function& kernel, const abi::Word* args, int64_t begin,
                         int64_t end, int64_t blocks, uint64_t deferred = 0);

  // A fiber to run one block; null after reporting an error.
  Job* prepare_block(Task& task, int64_t block);
  void resume(Job& job);
  // Starts some or all blocks of a task, or ends it if the run is over.
  void start(Task& task);
  // The next ready item; empty if there is none.
  Item take_ready();

  // Makes something runnable. `alone`: this worker runs it next, so no other is woken.
  void push(Item item, bool alone = false);
  // The task has no predecessors left. `busy`: this worker first does something else.
  void ready(Task& task, bool busy = false);
  void complete(Task& task, bool busy = false);
  // Makes waiters runnable, while this worker is busy.
  void woken(Waiter& waiter);

  // A fiber for an orchestration function or a block; null after reporting an error.
  Job* take_job(Rank& rank);
  void give_job(Job* job);

  // For Run::yielded: consecutive yields of fibers that were alone; all yields.
  uint32_t yields = 0, all_yields = 0;

  // For Run::keep_apart: the core it was last seen on; not_at_work while it takes no part.
  static constexpr int not_at_work = -1;
  std::atomic<int> core{not_at_work};
  std::atomic<pid_t> thread{0};  // of a helper

  ReadyQueue queue;
  TraceBuffer trace;
  Choices choices;  // with a random schedule
  const int32_t index;

 private:
  Item next();
  void park_conditions(Task& task, bool busy);
  void conditions_held(Task& task, int64_t count, bool busy);
  void trace_condition(Task& task, const Waiter& waiter);
  void start_block(Task& task, int64_t block);
  void after(Job& job);
  void end_blocks(Task& task, int64_t count);

  Run& run_;
  BlockContext direct_;
  Arena arena_;
  Item hot_;  // made ready by what just ended or left its stack: the next item of this worker
  uint32_t streak_ = 0;
  uint32_t samples_ = 0;
  std::vector<Job*> spare_;
};

}  // namespace tilewire::runtime
