// One rank of a run: its dispatches and its task graph.
//
// Tasks are ordered by the ids they name and by their arguments (TaskOrder). Everything here is used by the
// rank's orchestration function only, except what is documented as open to all.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/job.h"
#include "runtime/run.h"
#include "runtime/storage.h"
#include "runtime/task_order.h"

namespace tilewire::runtime {

class Run;

class Rank {
 public:
  explicit Rank(Run& run);

  // Before a run and after it.
  void begin(int32_t number);
  void add(const Dispatch& dispatch) { dispatches_.push_back(dispatch); }
  void end(Kept& kept);
  // Of the dispatch that runs, from 0.
  int32_t dispatch_number() const { return static_cast<int32_t>(next_dispatch_) - 1; }
  bool has_work() const { return next_dispatch_ < dispatches_.size(); }

  // Starts the next dispatch on a fiber. Any worker, between two dispatches.
  void start(Worker& worker);
  // The body of that fiber.
  void orchestrate(Job& job);

  abi::Status submit(BlockContext& context, const abi::Launch& launch, abi::TaskId* id);
  abi::Status defer(BlockContext& context, const abi::Deferred& deferred, abi::TaskId* id);
  abi::Status await(BlockContext& context, const abi::Param& param, const abi::Word* words, uint8_t access);
  abi::Status allocate(BlockContext& context, uint64_t bytes, uint32_t site, void** storage);
  abi::Status release(BlockContext& context, void* storage);
  void step(BlockContext& context, abi::ParallelStep what);

  // Open to all: the record's task has ended and is no longer needed.
  void give_back(Task& task, Worker& worker);
  // Open to all: a Release task is ready.
  void free_storage(Storage* storage);
  // After a fiber left with Job::After::Throttle.
  void throttle(Job& job, Worker& worker);
  // Nothing else can run: resumes a throttled orchestration function. Returns false if none is throttled.
  bool unthrottle(Worker& worker);
  // Whether one is throttled and no task has ended for a while, so that running tasks may wait for one that
  // it has not submitted yet. Polled.
  bool is_throttled_in_vain(uint64_t now_ns);

  Run& run;
  int32_t index = 0;  // in the world, for this run
  RankStats all_stats() const;
  RankStats stats;  // of the submitter
  std::atomic<uint64_t> compute_ns{0}, wait_ns{0}, transfer_ns{0}, bytes{0}, parks{0}, blocks{0};

 private:
  // Tasks not ended, at most, before the submitter waits.
  static constexpr int64_t live_limit = 2048;
  // Bytes of created tensors before it does.
  static constexpr uint64_t created_limit = uint64_t{1} << 30;
  static constexpr uint64_t patience_ns = 10'000'000;
  static constexpr uint32_t records_per_piece = 64;

  Task& take(TaskKind kind);
  Task* find(abi::TaskId id);
  void collect(const abi::TaskId* deps, uint32_t count);
  void add_predecessor(Task& task);
  void enter(Task& task, const abi::Launch& launch);
  bool at_once(const abi::Launch& launch, const Worker& worker) const;
  // Parks the calling fiber until at most `live` records are in use.
  abi::Status drain(BlockContext& context, int64_t live);
  void leave(Worker& worker);
  void finish(Worker& worker);

  std::vector<Dispatch> dispatches_;
  size_t next_dispatch_ = 0;

  TaskOrder order_;
  std::vector<std::unique_ptr<Task[]>> records_;
  Task* free_ = nullptr;
  std::vector<Task*> predecessors_;
  uint64_t mark_ = 0;
  abi::CurrentRounds rounds_;
  int64_t limit_ = live_limit;

  StorageList storages_;
  std::vector<Storage*> returned_storages_;
  // Created in the `pl.scope`s that are open, and where those of each start.
  std::vector<Storage*> scoped_;
  std::vector<size_t> scope_starts_;

  // Records in use, and 1 for the orchestration function.
  alignas(64) std::atomic<int64_t> live_{0};
  std::atomic<Job*> throttled_{nullptr};
  // While it is throttled: the value of live_ that was seen last, and since when.
  std::atomic<int64_t> seen_live_{-1};
  std::atomic<uint64_t> seen_since_ns_{0};
  std::atomic<int64_t> resume_at_{0};
  std::atomic<uint64_t> created_bytes_{0};
  std::atomic<Task*> given_back_{nullptr};
};

}  // namespace tilewire::runtime
