// How processes connect: each listens on a port of its own, tells the others where that is, and every pair
// connects once, the one with the higher number to the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "processes/messages/door_name.h"

namespace tilewire::processes {

class Door {
 public:
  // `control`: a connected socket whose own address others can reach, or -1. Where there is none, those of
  // all interfaces are told.
  Door(int control, std::string& problem);
  ~Door();
  Door(const Door&) = delete;

  // For all others: the addresses, and what they have to say to be let in.
  std::string name() const { return name_.write(); }
  const DoorName& own() const { return name_; }
  // Where they connect; not waited for.
  int listener() const { return listener_; }

  // By process: connected sockets; -1 where `far` is false. `names`: of all. Empty after telling in `problem`
  // what went wrong: not all have connected in time, or while `go_on`.
  std::vector<int> connect(int32_t own, const std::vector<std::string>& names, const std::vector<bool>& far,
                           uint64_t limit_ns, const std::function<bool()>& go_on, std::string& problem);

 private:
  // Lets in those with a higher number.
  void accept_all(int32_t own, const std::vector<bool>& far, std::vector<int>& sockets,
                  const std::atomic<bool>& stop) const;

  int listener_ = -1;
  DoorName name_;
};

}  // namespace tilewire::processes
