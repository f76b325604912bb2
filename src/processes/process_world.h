// A world of processes on one host or several.
//
// Process p runs the ranks [p * k, (p + 1) * k) of a call. Processes that can share memory are near: they map
// each other's regions, so loads, stores and signals are those of one process. Who has to be woken in another
// process has its bell rung, which lies in shared memory, too. All others are far: messages reach them
// (messages/channels.h). Everything else goes through the leader (leader.h): agreement on a call and its
// outcome, failures, deaths, deadlocks.
//
// One call at a time: whoever makes one holds `admit` from before its windows are made until it has ended.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "processes/control.h"
#include "processes/group_memory.h"
#include "processes/messages/channels.h"
#include "runtime/bell.h"
#include "runtime/world.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::processes {

using runtime::Run;

class ProcessWorld final : public runtime::World, public Listener {
 public:
  // Joins the others. Null when that fails; `problem` is why.
  static std::unique_ptr<ProcessWorld> join(Seat seat, std::optional<Failure>& problem);
  ~ProcessWorld() override;

  int32_t process() const { return control_->process(); }
  int32_t processes() const { return control_->processes(); }
  // A process is no more, or silent: MPI may wait for it forever.
  bool has_lost_one() const;

  // One after the other; `terms` are what must be the same in all processes. They are compared the first time
  // that the call waits for the others.
  std::unique_lock<std::mutex> admit(std::vector<Term> terms);

  Part part(int32_t ranks) const override;
  std::unique_ptr<runtime::GroupMemory> map(const runtime::GroupLayout& layout, int32_t ranks) override;
  std::optional<Failure> refusal() override { return refusal_; }
  bool begin(Run& run, std::span<const Term> terms) override;
  void end(Run& run, std::optional<Failure>& failure) override;
  void wake(int32_t rank) override;
  void watch(int32_t rank, int32_t change) override;
  bool is_watched() const override;
  void failed(Run& run, const Failure& failure) override;
  void quiet(Run& run) override;
  runtime::FarLink* far() override { return channels_.get(); }
  bool has_far() const { return channels_ != nullptr; }
  // The start of a process's region of exchange_memory, or, where that is far, of a copy in `copy`. When all
  // have read, they gather once more if some are far: until then the region may still be read.
  const std::byte* read(const runtime::GroupMemory& memory, int32_t process, uint64_t bytes,
                        std::vector<std::byte>& copy);

  // Of the control thread.
  void hear(Message&& message) override;
  void leader_gone(const std::string& how) override;
  std::optional<uint64_t> look(uint64_t now_ns) override;
  bool waits() const override { return waiting_; }
  Service serve(bool ready) override;

  // Memory for what the processes hand each other between calls: a region of each, by process, kept for the
  // next time. Who writes to it knows that all have ended the call, and so have read what was there before.
  // Null, in all of them, as for `map`.
  std::shared_ptr<runtime::GroupMemory> exchange_memory(uint64_t bytes);

  // What each process gives, by process. Nothing when the call was refused instead: `refusal`.
  std::optional<std::vector<std::string>> gather(std::string text, std::vector<Term> terms = {});

 private:
  using Lock = std::unique_lock<std::mutex>;

  ProcessWorld() = default;
  // Finds out who is near, and meets them; then the channels to all others.
  bool open_desks(const std::string& host, std::optional<Failure>& problem);
  bool open_channels(Mpi* mpi, std::optional<Failure>& problem);
  std::unique_ptr<Engine> connect_sockets(std::optional<Failure>& problem);
  // Messages take shared memory: those that come, when all desks are mapped; then those that leave.
  void use_mail(bool receives);
  // A cell of a rank of that process was written, and somebody is parked on one there.
  void ring(int32_t process);
  // Until a reply of a process that is far is there, or the world is lost.
  void await(const runtime::FarDone& done);
  // Until nothing that this process has sent is under way, or the world is lost.
  void land_all();
  // Of the run and of the messages; a part that has ended is quiet.
  struct Pulse {
    uint64_t turns;
    bool quiet;
  };
  Pulse pulse() const;
  // Parts of `look`: whether this process is quiet, and whether a channel is cut.
  std::optional<uint64_t> look_quiet(uint64_t now_ns);
  std::optional<uint64_t> look_cut(uint64_t now_ns);
  std::unique_ptr<RegionSet> make_regions(const std::vector<int32_t>& devices, uint64_t bytes, int32_t ranks,
                                          bool has_memory);
  // Whether a process has a problem; the call is then refused.
  bool refused_for(const std::vector<std::string>& problems, Diag row = diag::run_no_shared_memory);
  // The call is over before it began, in all processes.
  void refuse(const Failure& failure);
  // Until `ready` or the world is lost. An interrupt is told to the others, who stop, too.
  template <class Ready>
  void await(Lock& lock, Ready ready);
  void interrupt();
  void lose(const Failure& failure);

  // Memory of one process that all others map.
  struct Desk;

  std::vector<Desk*> desks_;    // by process; null: it is far
  std::vector<bool> far_;       // by process
  std::vector<int32_t> hosts_;  // by process: the first one that is near it
  bool some_are_far_ = false;   // from each other: then all have channels, and make the same gatherings
  SharedFile own_desk_;
  bool attends_ = false;  // messages come through shared memory
  int32_t sharers_ = 1;
  uint64_t spin_ns_ = 0;  // of an idle worker: 0 with more processes than cores
  std::shared_ptr<LocalRegions> local_regions_ = std::make_shared<LocalRegions>();
  std::shared_ptr<RegionSets> sets_ = std::make_shared<RegionSets>();
  uint64_t sets_made_ = 0;
  std::shared_ptr<runtime::GroupMemory> exchange_;
  std::mutex calls_;
  std::vector<Term> terms_;  // of the call that was admitted
  std::optional<Failure> refusal_;
  std::atomic<int32_t> ranks_per_process_{1};

  // Under the mutex of control_.
  std::condition_variable changed_;
  Run* run_ = nullptr;              // between begin and end
  uint64_t call_ = 0;               // its number
  uint64_t gathering_ = 0;          // number of the next
  bool waiting_ = false;            // for the leader, now or before the call ends
  bool begun_ = false;              // all were ready
  bool ended_ = false;              // here
  bool over_ = false;               // everywhere
  std::optional<Failure> failure_;  // of the call, as the leader told it
  std::optional<Failure> lost_;     // the world has
  std::optional<Message> gathered_;
  std::optional<uint64_t> tell_;  // the wave that asks for the waits

  std::atomic<bool> told_{false};  // tell_ is set
  // The control thread looks again and again whether this process stays quiet.
  std::atomic<bool> watching_{false};
  uint64_t said_turns_ = 0, seen_turns_ = 0;  // turns of a quiet process are odd
  uint64_t next_look_ns_ = 0, pause_ns_ = 0;

  std::atomic<Channels*> served_{nullptr};  // by the control thread
  uint64_t seen_polls_ = 0, moved_ns_ = 0;  // of the control thread: when it last moved messages along
  std::atomic<bool> cut_{false};            // a channel is
  uint64_t cut_ns_ = 0;                     // when that was noticed

  std::unique_ptr<Channels> channels_;
  std::unique_ptr<Control> control_;  // last: its thread uses all of this
};

}  // namespace tilewire::processes
