// One node of a rank's task graph.
//
// A record belongs to its rank and is reused when its task has ended. Only the rank's submitter takes records
// and reads `generation` and `mark`; all others access only the atomic fields and, once the task is ready,
// what the submitter wrote before. A predecessor ends by closing its list of successors: a thread that finds
// the list closed knows that the task has ended, and sees what it wrote.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "abi/task_order.h"
#include "runtime/job.h"
#include "support/schedule.h"

namespace tilewire::runtime {

class Rank;
struct Task;

// Is in the record of the successor, which outlives it: it waits for the predecessor.
struct Edge {
  Task* successor;
  Edge* next;
};

enum class TaskKind : uint8_t {
  Kernel,
  Resume,    // continues the fiber `subject`
  Release,   // frees the storage `subject`
  Deferred,  // ends when all of its `conditions` have held
};

struct alignas(64) Task {
  std::atomic<Edge*> successors{nullptr};
  std::atomic<int32_t> pending{0};  // predecessors that have not ended, and 1 while it is being submitted
  TaskKind kind = TaskKind::Kernel;
  uint32_t generation = 0;
  uint32_t slot = 0;
  uint32_t site = 0;
  uint64_t mark = 0;  // of the submission that found it last
  Rank* rank = nullptr;
  const abi::Function* kernel = nullptr;
  const abi::Word* args = nullptr;
  void* subject = nullptr;
  abi::Rounds rounds;  // in which it was submitted

  // Blocks not yet claimed belong to the holder of the task; it is in at most one queue.
  int64_t blocks = 0;
  int64_t next_block = 0;
  std::atomic<int64_t> blocks_left{0};  // that have not ended; of a deferred task: conditions, and 1

  // Of a deferred task, `blocks` of them.
  std::vector<Waiter> conditions;
  // Traced: when its conditions were first looked at.
  uint64_t armed_ns = 0;
  // Traced: of a deferred task the number of the condition that held last; of another, until it starts, that
  // of the deferred task that ended last before it.
  std::atomic<uint64_t> deferred{0};

  // In a run that follows a schedule.
  AgentKey key;  // of block 0
  bool takes_core = false;
  bool together = false;  // all blocks start at once

  Task* next = nullptr;  // in lists of free records

  static Edge* closed() { return reinterpret_cast<Edge*>(uintptr_t{1}); }
  bool ended() const { return successors.load(std::memory_order_acquire) == closed(); }

  // Makes `this` wait for `predecessor`; returns false if that has ended already. It may even have ended
  // between being found and `this` being taken from the free records: then the two are one.
  bool follow(Task& predecessor) {
    if (&predecessor == this) return false;
    Edge* head = predecessor.successors.load(std::memory_order_acquire);
    if (head == closed()) return false;
    pending.fetch_add(1, std::memory_order_relaxed);
    Edge* edge = take_edge();
    edge->successor = this;
    do {
      if (head == closed()) {
        pending.fetch_sub(1, std::memory_order_relaxed);
        --edge_count_;
        return false;
      }
      edge->next = head;
    } while (!predecessor.successors.compare_exchange_weak(head, edge, std::memory_order_acq_rel,
                                                           std::memory_order_acquire));
    return true;
  }
  uint32_t edge_count() const { return edge_count_; }

  void reset(TaskKind new_kind) {
    successors.store(nullptr, std::memory_order_relaxed);
    pending.store(1, std::memory_order_relaxed);
    kind = new_kind;
    ++generation;
    edge_count_ = 0;
    deferred.store(0, std::memory_order_relaxed);
  }

  void set_conditions(const abi::Condition* from) {
    conditions.resize(static_cast<size_t>(blocks));
    for (Waiter& waiter : conditions) {
      const abi::Condition& condition = *from++;
      waiter = {.cell = condition.cell,
                .expected = condition.expected,
                .cmp = condition.cmp,
                .site = condition.site,
                .task = this};
    }
    blocks_left.store(blocks + 1, std::memory_order_relaxed);
  }

  void copy_args(const abi::Word* from, uint32_t count) {
    abi::Word* to = inline_args_;
    if (count > inline_arg_count) {
      if (count > large_capacity_) {
        large_args_ = std::make_unique<abi::Word[]>(count);
        large_capacity_ = count;
      }
      to = large_args_.get();
    }
    for (uint32_t i = 0; i < count; ++i) to[i] = from[i];
    args = to;
  }

 private:
  static constexpr uint32_t inline_arg_count = 24;
  static constexpr uint32_t inline_edge_count = 4;
  static constexpr uint32_t edges_per_piece = 64;

  Edge* take_edge() {
    uint32_t index = edge_count_++;
    if (index < inline_edge_count) return &inline_edges_[index];
    index -= inline_edge_count;
    if (index / edges_per_piece == more_edges_.size()) {
      more_edges_.push_back(std::make_unique<Edge[]>(edges_per_piece));
    }
    return &more_edges_[index / edges_per_piece][index % edges_per_piece];
  }

  uint32_t edge_count_ = 0;
  uint32_t large_capacity_ = 0;
  Edge inline_edges_[inline_edge_count];
  abi::Word inline_args_[inline_arg_count];
  std::unique_ptr<abi::Word[]> large_args_;
  std::vector<std::unique_ptr<Edge[]>> more_edges_;
};

}  // namespace tilewire::runtime
