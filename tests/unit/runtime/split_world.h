// A world whose parts all are in this process: each is called on a thread of its own and has a Run of its
// own, and all that goes from one to another goes through World. It stands for processes on one host, which
// share the memory of windows and ring each other's bells; where those send messages, this has a lock. Parts
// on different hosts reach each other through a FarNetwork alone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "far_network.h"
#include "program.h"
#include "runtime/run_state.h"
#include "runtime/world.h"

namespace tilewire::runtime {

class SplitWorld {
 public:
  // How many ranks live in each part; a call has as many ranks as all of them together. `hosts`: of each
  // part; empty: all are on one.
  explicit SplitWorld(std::vector<int32_t> counts, uint64_t spin_ns = 0, std::vector<int32_t> hosts = {},
                      const FarNetwork::Options& network = {});

  size_t size() const { return parts_.size(); }
  World& part(size_t i) { return *parts_[i]; }
  FarNetwork& network() { return *network_; }
  int32_t first_rank(size_t i) const { return parts_[i]->place.first; }

  // Calls `run(world, part)` for every part at once; what each of them returns.
  template <class RunPart>
  std::vector<Outcome> run(RunPart run) {
    std::vector<Outcome> outcomes(size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < size(); ++i) threads.emplace_back([&, i] { outcomes[i] = run(part(i), i); });
    for (std::thread& thread : threads) thread.join();
    return outcomes;
  }

 private:
  // A call of all parts; they may be in different ones for a moment.
  struct Call {
    explicit Call(size_t parts) : runs(parts), terms(parts), lists(parts), ended(parts) {}
    std::vector<Run*> runs;  // between begin and end
    std::vector<std::vector<Term>> terms;
    std::vector<std::optional<std::vector<Blocked>>> lists;
    std::vector<bool> ended;
    size_t begun = 0;
    std::optional<Failure> failure;
    bool stuck = false;
  };

  struct Part final : World {
    Part(SplitWorld& owner, size_t number) : all(owner), index(number) {}
    World::Part part(int32_t ranks) const override;
    std::unique_ptr<GroupMemory> map(const GroupLayout& layout, int32_t ranks) override;
    bool begin(Run& run, std::span<const Term> terms) override;
    void end(Run& run, std::optional<Failure>& failure) override;
    void wake(int32_t rank) override;
    void watch(int32_t rank, int32_t change) override;
    bool is_watched() const override { return all.watchers_ != 0; }
    void failed(Run& run, const Failure& failure) override;
    void quiet(Run& run) override;
    FarLink* far() override { return all.network_ ? &all.network_->link(index) : nullptr; }

    // Sleeps on the bell, without the lock, until ready() or the run is stopped.
    template <class Ready>
    void await(std::unique_lock<std::mutex>& lock, const Run& run, Ready ready);

    SplitWorld& all;
    const size_t index;
    World::Part place;
    Bell bell;
    size_t call = 0, mapped = 0;
    int32_t host = 0;
  };

  Call& call_of(const Part& part);
  void ring_all();
  void stop(Call& call, const Failure& failure, size_t except);
  bool all_quiet(const Call& call) const;
  void find_deadlock(Call& call);
  void resume(Call& call);
  void complete_deadlock(Call& call);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::deque<Call> calls_;
  std::deque<std::shared_ptr<GroupMemory>> memories_;
  int32_t ranks_ = 0;
  std::atomic<int32_t> watchers_{0};     // fibers that are parked on cells of other parts
  std::unique_ptr<FarNetwork> network_;  // its messages go to all that stands above
};

}  // namespace tilewire::runtime
