// What process 0 does for all: collects what each has to say before, during and after a call, and tells all
// of them the same.
//
// It has no threads, sockets or clock of its own: messages come in by `hear` and leave by the function it was
// made with. A call goes through
//
//     Begin of all, with equal terms -> Begun to all -> Ended of all -> Outcome to all
//
// and fails by the first of: a Failed, terms that differ, a deadlock. Stop tells it to those that have said
// Begin. A call that failed before Begun has no Outcome.
//
// A deadlock is found without a clock. When all that have not ended have said Quiet, all are asked twice.
// If all are quiet both times, each at the same turn, nothing has happened anywhere between the end of the
// first wave and the start of the second. Nothing ever will unless a message is under way then, which is so
// when more were sent than handled in all. A message that is handled moves its process to another turn, so
// that it says Quiet once more, even if it has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "processes/message.h"

namespace tilewire::processes {

struct Limits {
  uint64_t silence_ns = 2'000'000'000;  // a process that says nothing for so long is lost
  uint64_t note_ns = 10'000'000'000;    // after so long a note says who is missing
  uint64_t join_ns = 600'000'000'000;   // who has not joined by then, and is not known to run, is lost

  // Between two questions whether the others are there.
  uint64_t tick_ns() const { return silence_ns / 8; }
  // How the world has lost a process that was silent.
  std::string silence() const;
  // How it has lost one that has not joined, and the time in it.
  std::string absence() const;
  std::string join_text() const;
};

// "process 1", or "processes 1, 2 and 7 more".
std::string names_of(const std::vector<int32_t>& processes);
Failure world_failure(Diag row, std::vector<std::string> words);

// What all processes raise when the world has lost one.
Failure lost_process(int32_t process, const std::string& how);
// How: it goes on without the others; it says what nobody says; it could not join them.
inline constexpr const char* has_left = "it has left the world";
inline constexpr const char* makes_no_sense = "what it sent is not a message";
inline constexpr const char* too_early = "it has ended before all had joined";

class Leader {
 public:
  using Send = std::function<void(int32_t process, const Message&)>;
  // Tells whoever looks at the terminal.
  using Note = std::function<void(const std::string&)>;

  Leader(int32_t processes, Send send, Note note, Limits limits);

  void hear(int32_t process, Message&& message, uint64_t now_ns);
  // The connection of a process has ended.
  void gone(int32_t process, const std::string& how);
  // Regularly.
  void tick(uint64_t now_ns);

 private:
  struct Member {
    bool left = false;  // it said so
    bool lost = false;
    uint64_t heard_ns = 0;
    uint64_t next_call = 0;  // after the last one that ended
  };
  struct Gathering {
    uint64_t call = 0;
    std::vector<std::optional<Message>> parts;
    size_t count = 0;
    std::optional<Failure> failure;
    uint64_t since_ns = 0;
    bool noted = false;
  };
  struct Part {
    bool begun = false, ended = false;
    std::vector<Term> terms{};
    bool quiet = false;
    uint64_t turns = 0;  // when it said so
    uint64_t first_turns = 0;
    uint64_t under_way = 0;  // as it answered
    bool answered = false;
    std::optional<std::vector<Blocked>> waits{};
  };
  struct Call {
    std::vector<Part> parts;
    bool running = false;
    std::optional<Failure> failure;
    enum class Wave : uint8_t { None, First, Second, Waits } wave = Wave::None;
    uint64_t since_ns = 0;
    bool noted = false;
  };

  void gather(int32_t process, Message&& message);
  void begin(int32_t process, Message&& message);
  void failed(int32_t process, const Message& message);
  void ended(int32_t process, Message&& message);
  void quiet(int32_t process, const Message& message);
  void answer(int32_t process, const Message& message);
  void waits(int32_t process, Message&& message);

  std::map<uint64_t, Call>::iterator call_of(uint64_t number);
  void fail(uint64_t number, Call& call, const Failure& failure);
  void start_wave(Call& call, Call::Wave wave);
  // Starts the waves when all have said that they are quiet.
  void consider(Call& call);
  void answered_all(Call& call);
  void lose(int32_t process, const std::string& how);
  // Somebody waits for others.
  bool busy() const;
  // A process that has left takes part in nothing that others wait for.
  void lose_left();
  void send_all(const Message& message);
  // Sends to those that are still running.
  void send_running(const Call& call, const Message& message);
  void remind(bool& noted, uint64_t since_ns, const std::vector<int32_t>& missing);
  std::optional<Failure> first_difference(const std::vector<const std::vector<Term>*>& terms) const;

  const int32_t count_;
  const Send send_;
  const Note note_;
  const Limits limits_;
  uint64_t now_ns_ = 0;
  uint64_t ticked_ns_ = 0;
  uint64_t wave_ = 0;  // number of the last
  std::vector<Member> members_;
  std::map<uint64_t, Call> calls_;
  std::map<uint64_t, Gathering> gatherings_;
  std::optional<Failure> lost_;
};

}  // namespace tilewire::processes
