// Messages between the parts of a SplitWorld: what a network between hosts does, by a thread of this process.
//
// What one part sends to another arrives in its order, after a time that a seed decides; nothing orders
// messages between different parts. So what the runtime does not wait for arrives too late sooner or later.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/bell.h"
#include "runtime/far_link.h"
#include "runtime/world.h"

namespace tilewire::runtime {

// The regions of a group as one part sees them: those of parts on other hosts only as addresses.
class PartMemory : public GroupMemory {
 public:
  // Where a region is, and by whom it is owned.
  struct Home {
    std::byte* region;
    uint32_t* waiters;
    int32_t part;
  };
  std::vector<Home> homes;
};

class FarNetwork {
 public:
  struct Options {
    uint64_t seed = 1;
    // Off: the links say at once that everything has landed. To see that a test notices.
    bool acknowledges = true;
    // What the first part sends to the second takes its time.
    std::optional<std::pair<size_t, size_t>> slow{};
    uint64_t slow_us = 1000;
    bool holds = false;  // it stays on its way until it is let go
  };
  FarNetwork(std::vector<Bell*> bells, const Options& options);
  ~FarNetwork();

  const Options& options() const { return options_; }
  FarLink& link(size_t part) { return *links_[part]; }
  // Whether something is under way.
  bool busy();
  // Until nothing is.
  void drain();
  // What is held arrives.
  void let_go();

 private:
  using Clock = std::chrono::steady_clock;
  // `arrive` is called under the lock of the network.
  struct Message {
    Clock::time_point due;
    std::function<void()> arrive;
  };
  struct Flush {
    std::vector<uint64_t> until;  // by part: landed there
    FarDone* done;
  };
  class Link;
  friend class Link;

  void send(size_t from, size_t to, std::function<void()> arrive);
  // One message that is due, if there is any.
  bool deliver(std::unique_lock<std::mutex>& lock);
  void run();

  const Options options_;
  std::vector<Bell*> bells_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::mt19937_64 random_;
  std::vector<std::deque<Message>> channels_;  // from * parts + to
  size_t under_way_ = 0;
  bool holding_ = false;
  bool over_ = false;
  std::vector<std::unique_ptr<FarLink>> links_;
  std::thread thread_;
};

}  // namespace tilewire::runtime
