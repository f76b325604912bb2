// The connections of a process to the others of its world, and the thread that listens to them.
//
// Every process has a stream to process 0, which leads. The end of a stream is the end of a process: the
// system closes it however that happens. What process 0 tells itself takes no stream.
//
// All that is heard, and the state it changes, is under `mutex`. Nothing is sent while it waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "processes/leader.h"
#include "processes/message.h"
#include "processes/stream.h"

namespace tilewire::processes {

class Mpi;

// What a process is connected with when it joins: process 0 with all others, in order; they with process 0.
struct Seat {
  int32_t process = 0;
  int32_t processes = 1;
  std::vector<Stream> streams;
  Limits limits{};
  // Processes that name the same one may share memory.
  std::string host{};
  // All have met by it, and it may carry what they send to other hosts; null: sockets do.
  Mpi* mpi = nullptr;
};

// What the leader's messages do. Called under the mutex, but for `serve`.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void hear(Message&& message) = 0;
  virtual void leader_gone(const std::string& how) = 0;
  // Something is to be done later, without a message: in how many nanoseconds, if at all.
  virtual std::optional<uint64_t> look(uint64_t now_ns) = 0;
  // This process waits for the leader.
  virtual bool waits() const = 0;

  // Of messages about memory, when to look again: when a descriptor is readable, after a time, or both.
  struct Service {
    int descriptor = -1;
    std::optional<uint64_t> pause_ns{};
  };
  // Moves them along. `ready`: the descriptor was readable.
  virtual Service serve(bool ready) = 0;
};

class Control {
 public:
  Control(Seat seat, Listener& listener);
  // The listener is ready.
  void start();
  ~Control();
  // Says good-bye, without waiting for anybody. The listener hears nothing any more when this returns, and
  // may use this until then.
  void leave();
  Control(const Control&) = delete;

  std::mutex& mutex() { return mutex_; }
  int32_t process() const { return process_; }
  int32_t processes() const { return processes_; }
  const Limits& limits() const { return limits_; }
  // Under the mutex: a connection with another process, of which this one knows its own address; -1: there is
  // none.
  int address_socket() const { return process_ == 0 ? streams_.back().fd() : streams_[0].fd(); }
  // Under the mutex: to the leader.
  void say(Message&& message);
  // Has the thread look. From any thread.
  void poke();
  // Under the mutex, once the memory is there: streams use shared memory for what they receive, and for what
  // they send. `attended`: see Mail; of this process, and of the others by their number.
  Stream& stream(int32_t process) { return streams_[process]; }
  // `lock` is on the mutex: hears what comes through shared memory until `ready`, or for `limit_ns`. With
  // `gives_way` other threads run meanwhile. `attended` tells senders that no doorbell is needed.
  void attend(std::unique_lock<std::mutex>& lock, std::atomic<uint32_t>& attended,
              const std::function<bool()>& ready, uint64_t limit_ns, bool gives_way);
  // In a child of fork, which is no process of the world.
  bool forked() const { return forked_.load(); }

 private:
  static void forget_in_child();

  void work();
  void listen();
  // What has come through one stream, from its socket, too, or through shared memory alone.
  enum class From : uint8_t { Socket, Mail };
  void listen(int32_t process, From from);
  void deliver();
  void tick(uint64_t now_ns);
  void send(int32_t process, const Message& message);
  bool has_unsent() const;

  const int32_t process_, processes_;
  const Limits limits_;
  Listener& listener_;
  std::mutex mutex_;
  std::vector<Stream> streams_;  // by process: of the leader to all but itself; of others to process 0 alone
  std::optional<Leader> leader_;
  std::deque<Message> to_leader_, to_here_;  // from process 0 to itself
  bool delivering_ = false;
  uint64_t heard_ns_ = 0, ticked_ns_ = 0;  // the leader; the last tick
  int wake_ = -1;
  bool leaving_ = false, left_ = false;
  std::atomic<bool> forked_{false};
  std::thread thread_;
};

}  // namespace tilewire::processes
