// Connections with processes of other hosts, made when they are first needed. Nothing here waits.
//
// A process connects at the addresses of the other, one after the other, and says a password. If two connect
// with each other at the same time, the connection of the one with the higher number stays.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "processes/messages/door.h"

namespace tilewire::processes {

class Dialer {
 public:
  // `names`: of the doors of all processes; empty where none is to be reached.
  Dialer(std::unique_ptr<Door> door, int32_t own, std::vector<std::string> names);
  ~Dialer();
  Dialer(const Dialer&) = delete;

  // Begins to connect with a process, if that has not been done. False: there is a connection already, or
  // none is possible.
  bool dial(int32_t process);

  using Connected = std::function<void(int32_t process, int socket)>;
  using Failed = std::function<void(int32_t process, const std::string& how)>;
  // What has become of connections since, and of those that others make. Returns whether anything has.
  bool poll(const Connected& connected, const Failed& failed);
  // Readable while `poll` has something to do.
  int descriptor() const { return events_; }

 private:
  // One that is being made.
  struct Call {
    int32_t process = -1;  // -1: somebody has connected with us, and has not said who
    int socket = -1;
    size_t address = 0;  // the next to be tried
    bool waits = false;  // all were; the other process may still connect with us
    bool greeted = false;
    uint64_t until_ns = 0;
    std::string got{};  // of the greeting, or of the answer to it
  };
  using Calls = std::list<Call>;
  enum class State : uint8_t { None, Dialing, Connected, Failed };

  void accept();
  // False: the connection has ended.
  bool read(Call& call, size_t bytes);
  // Whether it is over, one way or the other.
  bool advance(Call& call, uint64_t now_ns, const Connected& connected);
  bool advance_guest(Call& call, const Connected& connected);
  // At the next address. False: there is none.
  bool try_next(Call& call, uint64_t now_ns);
  void watch(const Call& call, uint32_t events, int operation);
  void hang_up(Call& call);
  void arm(bool on);

  const std::unique_ptr<Door> door_;
  const int32_t own_;
  const std::vector<std::string> names_;
  std::vector<State> states_;
  Calls calls_;
  int events_ = -1, timer_ = -1;
};

}  // namespace tilewire::processes
