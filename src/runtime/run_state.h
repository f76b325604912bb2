// The state of one run in this process: the ranks that live here, its workers, idle threads, first failure.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/cells.h"
#include "runtime/clock.h"
#include "runtime/failure.h"
#include "runtime/far.h"
#include "runtime/host.h"
#include "runtime/process.h"
#include "runtime/rank.h"
#include "runtime/replay.h"
#include "runtime/run.h"
#include "runtime/windows.h"
#include "runtime/worker.h"
#include "runtime/world.h"

namespace tilewire::runtime {

// Storage that a program makes is filled with this under a random schedule: NaN in every float format.
inline constexpr int poison = 0xFF;

class Run {
 public:
  explicit Run(Process& process);

  Outcome execute(const Request& request);
  // A helper thread's part.
  void help();

  // Generated code, or the runtime for it, cannot continue. The first failure is kept; the run stops.
  void fail(const Failure& failure, Worker* worker);
  abi::Status fail(BlockContext& context, abi::Fault fault, uint32_t site, int64_t a, int64_t b, int64_t c,
                   int64_t d);
  abi::Status fail_memory(BlockContext& context, uint64_t bytes, uint32_t site);
  abi::Status fail_fibers(BlockContext& context, uint32_t site);
  // A function returned a non-zero status: expected after a failure, a broken invariant otherwise.
  void ended_badly(BlockContext& context, abi::Status status);
  bool aborted() const { return abort_.load(std::memory_order_relaxed) != 0; }
  // From a signal handler.
  void interrupt();
  // Brings parked fibers back after an interrupt, and those whose cells were written elsewhere. Cheap when
  // there was nothing of the kind.
  void poll(Worker& worker) {
    if (aborted() && !released_.load(std::memory_order_relaxed)) release_parked(worker);
    if (rung()) hear(worker);
  }
  // Cells that fibers are parked on may have been written elsewhere.
  bool rung() const { return shared_ && heard_.load(std::memory_order_relaxed) != bell_->rings(); }

  // There is work that another worker could take.
  void call_for_help();
  bool any_ready() const;
  // Other workers take part, here or on their own cores elsewhere.
  bool has_other_workers() const {
    return helpers_.load(std::memory_order_relaxed) > 0 || (shared_ && part.spin_ns > 0);
  }
  Item steal(Worker& thief);
  // Two workers on one core get less done than one. Systems that like to put threads together leave them so
  // for a long time: a worker that was moved, or waits, checks whether it is alone on its core, and if not,
  // one of the two is sent elsewhere.
  void keep_apart(Worker& worker);
  // Called when no work was found. Returns true to look again, false to end the worker's part.
  bool idle(Worker& worker);
  void rank_ended();
  Rank& rank(int32_t number) { return *ranks_[number - part.first]; }
  bool shared() const { return shared_; }  // ranks live elsewhere, too
  bool finished() const { return finished_.load(std::memory_order_seq_cst); }
  // A block of the kernel may have to wait, which takes a fiber.
  bool may_block(const abi::Function& kernel) const {
    return (kernel.bits & (far.any() ? abi::MayBlock | abi::MayBlockFar : abi::MayBlock)) != 0;
  }

  // A fiber yields.
  void yielded(Worker& worker, Job& job);

  void wake(const int32_t* cell, Worker& worker);
  // See World::watch.
  void watch(int32_t rank, int32_t change) { world_->watch(rank, change); }
  // After a cell was written: wakes those that are parked on it.
  void wake_parked(const int32_t* cell, Worker& worker);
  // With a random schedule: notifies that the block has made land, all of them or those up to a cell's.
  void land_notifies(BlockContext& context);
  void land_notifies(BlockContext& context, const int32_t* cell) {
    if (context.job && context.job->notifies.has(cell)) land_notifies(context);
  }

  // For the world, from any thread. Stops this part, after a failure elsewhere or a finding of the world.
  void stop(const Failure& failure);
  // Whether anything happens in this part. If `turns` is the same at two moments and `quiet` true at both,
  // nothing has happened in between.
  struct Pulse {
    uint64_t turns;
    bool quiet;
  };
  Pulse pulse() const;
  // Only inside World::quiet, when nothing can run: what waits here. Empty: this part was throttled,
  // continues, and may wake others.
  std::optional<std::vector<Blocked>> waits();

  // Nothing else can run: resumes throttled orchestration functions. Returns false if there are none.
  bool unthrottle(Worker& worker);
  // For the report of a deadlock.
  Blocked blocked(const Waiter& waiter) const;

  // With a random schedule: yields now and then. Where the block continues, its worker may be
  // another one.
  void pause(BlockContext& context);
  // Chooses the next of the ready items of a queue.
  static Item take_from(ReadyQueue& queue, Choices& choices);

  // In runs that are traced, of modules with hooks: the number of a notify that is about to write the cell;
  // of the last one that did, 0 if none.
  uint64_t note_notify(const int32_t* cell);
  uint64_t last_notify(const int32_t* cell);
  // In runs that are traced: the number of a deferred wait whose conditions have held.
  uint64_t next_deferred() { return deferred_count_.fetch_add(1, std::memory_order_relaxed) + 1; }

  Process& process;
  Cells cells;
  Host host;
  Far far{*this};
  const abi::Module* module = nullptr;
  Windows* windows = nullptr;
  int32_t threads = 1;
  int32_t rank_count = 1;  // in the world
  World::Part part;        // of the ranks, and of waiting for others
  bool tracing = false;
  bool timing = false;
  bool random = false;
  std::unique_ptr<Replay> replay;  // follows a schedule; null: none is given

  // Whether storage that the program makes is filled, and with which byte: one that shows where it is read
  // before it is written, or the one of the interpreter.
  bool fills() const { return random || replay; }
  int filling() const { return random ? poison : 0; }
  std::atomic<int64_t> fibers{0};
  const uint32_t* abort_word() const { return reinterpret_cast<const uint32_t*>(&abort_); }
  const std::atomic<uint32_t>& abort_state() const { return abort_; }

  Run* next_of_process = nullptr;

  // Fibers in use at once.
  static constexpr int64_t fiber_limit = 16'000;
  // No block pauses when so many are in use.
  static constexpr int64_t pausing_limit = 4'000;

 private:
  void prepare(const Request& request);
  // Assigns the ranks their work; returns false if the host function failed.
  bool dispatch(const Request& request);
  void report(const Request& request, uint64_t start_ns, Outcome& outcome);
  void finish(const Request& request, Outcome& outcome);
  bool idle_caller(Worker& worker);
  bool idle_helper(Worker& worker);
  // Only the caller's worker is left, and it has nothing to do.
  void stalled(Worker& worker, uint32_t rings);
  void hear(Worker& worker);
  bool spin(Worker& worker);
  // The first failure; an interrupt before it replaces it. Returns false if the run was stopped already.
  bool keep(const Failure& failure);
  // After two workers have been found on one core, the caller's thread stays where it is during the
  // run: it would be put on a helper's core, and kernels can be long. Returns false if it is free.
  bool hold_caller();
  void send_elsewhere(const Worker& worker);
  void release_parked(Worker& worker);
  static void go_on(Waiter* waiters, Worker& worker);
  static Failure failure_in(const BlockContext& context, Cause cause, uint32_t site);

  std::atomic<bool> active_{false};
  std::atomic<uint32_t> abort_{0};
  std::atomic<bool> released_{false};
  std::atomic<bool> finished_{false};
  std::atomic<int32_t> ranks_left_{0};
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Rank>> ranks_;  // the first part.count of them, from part.first on

  std::mutex idle_mutex_;
  std::atomic<int32_t> helpers_{0};    // asked for or at work; goes down only under idle_mutex_
  std::vector<int32_t> free_workers_;  // under idle_mutex_
  int32_t helpers_used_ = 0;
  cpu_set_t cpus_{};  // of the caller

  std::mutex notify_mutex_;
  std::unordered_map<const int32_t*, uint64_t> notifies_;
  uint64_t notify_count_ = 0;
  std::atomic<uint64_t> deferred_count_{0};

  World* world_ = nullptr;
  bool shared_ = false;  // ranks live elsewhere, too
  Bell own_bell_;
  Bell* bell_ = &own_bell_;            // of the caller's worker
  std::atomic<uint32_t> heard_{0};     // rings after which cells were looked at
  std::atomic<uint64_t> turns_{0};     // odd: nothing can happen here
  std::atomic<uint32_t> rests_at_{0};  // rings then

  std::mutex failure_mutex_;
  std::optional<Failure> failure_;
};

// Those this thread may run on, asked of the system: a program may move itself to other cores.
cpu_set_t allowed_cpus();

}  // namespace tilewire::runtime
