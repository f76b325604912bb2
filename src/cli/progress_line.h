// One line on the terminal that says how far something has come, and that is gone when it is done.
#pragma once

#include <chrono>
#include <string>

namespace tilewire::cli {

class ProgressLine {
 public:
  ProgressLine();  // does nothing where standard error is no terminal
  ProgressLine(const ProgressLine&) = delete;
  ~ProgressLine() { erase(); }

  // Shown when the work has taken a second, and a few times a second from then on.
  bool due();
  void show(const std::string& text);
  void erase();
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  bool shown_ = false;
};

}  // namespace tilewire::cli
