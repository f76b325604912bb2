// How processes connect their channels: each listens on a port of its own, tells the others where that is,
// and every pair connects once, the one with the higher number to the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewire::processes {

class Door {
 public:
  // `control`: a connected socket whose own address others can reach, or -1. Where there is none, those of
  // all interfaces are told.
  Door(int control, std::string& problem);
  ~Door();
  Door(const Door&) = delete;

  // For all others: the addresses, and what they have to say to be let in.
  const std::string& name() const { return name_; }

  // By process: connected sockets; -1 where `far` is false. `names`: of all. Empty after telling in `problem`
  // what went wrong: not all have connected in time, or while `go_on`.
  std::vector<int> connect(int32_t own, const std::vector<std::string>& names, const std::vector<bool>& far,
                           uint64_t limit_ns, const std::function<bool()>& go_on, std::string& problem);

 private:
  // Lets in those with a higher number.
  void accept_all(int32_t own, const std::vector<bool>& far, std::vector<int>& sockets,
                  const std::atomic<bool>& stop) const;

  int listener_ = -1;
  std::string name_;
  uint64_t password_[2] = {}, reply_[2] = {};
};

}  // namespace tilewire::processes
