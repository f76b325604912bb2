// MPI between nodes of one process, for tests: messages match receives by MPI's rules, short ones leave at
// once, long ones when they are received, and a test now and then says that an operation is not done yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include "mpi/interface.h"

namespace tilewire::processes {

class FakeMpiNetwork {
 public:
  explicit FakeMpiNetwork(int32_t ranks);
  FakeMpiNetwork(const FakeMpiNetwork&) = delete;

  TilewireMpi& of(int32_t rank) { return tables_[rank]; }
  // Operations of a rank that have not been tested to their end.
  size_t pending(int32_t rank);
  // From now on what is sent to that rank fails.
  void fail_sends_to(int32_t rank);
  // Nothing may be asked any more, but whether that is so.
  void finalize() { over_ = true; }
  int uses_after_finalize() const { return late_uses_; }

  static constexpr int32_t send_error = 7, truncated = 15, used_when_over = 99;

 private:
  struct Operation {
    int32_t owner = 0;
    bool done = false;
    int32_t error = 0, from = -1;
    int64_t bytes = 0;
  };
  struct Message {
    uint64_t operation;  // of a long one; 0: it has left
    int32_t from, tag;
    std::vector<std::byte> copy;
    const std::byte* place;  // of a long one
    int64_t bytes;
  };
  struct Receive {
    uint64_t operation;
    int32_t from, tag;
    std::byte* place;
    int64_t bytes;
  };
  struct Rank {
    FakeMpiNetwork* network;
    int32_t number;
    std::deque<Message> unexpected;
    std::deque<Receive> posted;
  };

  static Rank& rank_of(TilewireMpi* table) { return *static_cast<Rank*>(table->data); }
  uint64_t begin(int32_t owner);
  void meet(const Receive& receive, const Message& message);

  static int32_t is_over(TilewireMpi* table);
  static int32_t send(TilewireMpi* table, const void* bytes, int32_t count, int32_t to, int32_t tag,
                      TilewireMpiRequest* request);
  static int32_t receive(TilewireMpi* table, void* bytes, int32_t count, int32_t from, int32_t tag,
                         TilewireMpiRequest* request);
  static int32_t test(TilewireMpi* table, TilewireMpiRequest* request, TilewireMpiStatus* status);
  static int32_t cancel(TilewireMpi* table, TilewireMpiRequest* request);
  static void explain(TilewireMpi* table, int32_t error, char* text, int32_t size);

  std::mutex mutex_;
  std::mt19937 random_{1};
  bool over_ = false;
  int late_uses_ = 0;
  bool is_late() { return over_ && ++late_uses_ > 0; }
  std::set<int32_t> failing_;
  uint64_t begun_ = 0;
  std::map<uint64_t, Operation> operations_;
  std::deque<Rank> ranks_;
  std::deque<TilewireMpi> tables_;
};

}  // namespace tilewire::processes
