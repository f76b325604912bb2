// The processes of a job that its launcher has started on this host, as /proc shows them. One that has not
// joined the others cannot tell them that it ends, and may not have loaded this library at all.
//
// What counts is the child of the launcher: a shell script that the launcher has started may run a program
// that ends before the one that joins.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "processes/launcher.h"

namespace tilewire::processes {

class Siblings {
 public:
  explicit Siblings(const Launch& launch);

  // A process of the job that has ended. Nothing: there is none as far as this process can see, or the last
  // look was a moment ago.
  std::optional<int32_t> ended(uint64_t now_ns);
  // It was running when this process last looked.
  bool is_running(int32_t process) const { return running_.contains(process); }
  // 0: it cannot be seen from here.
  pid_t launcher() const { return launcher_; }

 private:
  // Reads what the children of the launcher are. False: it has none any more.
  bool look(uint64_t now_ns);

  const Launch launch_;
  pid_t launcher_ = 0;
  bool sees_all_ = false;      // all processes of the job on this host are its children
  bool all_are_known_ = true;  // each child of it has said in its environment which process it is, if any
  std::map<pid_t, int32_t> children_;  // ever seen: which process of the job each is
  std::set<int32_t> running_;          // processes of the job
  uint64_t looked_ns_ = 0;
  uint64_t newest_ns_ = 0;  // when a child was first seen that had not been there before
};

}  // namespace tilewire::processes
