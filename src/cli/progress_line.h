// A progress line on the terminal, which is erased when the work is done.
#pragma once

#include <chrono>
#include <string>

namespace tilewire::cli {

class ProgressLine {
 public:
  ProgressLine();  // does nothing unless standard error is a terminal
  ProgressLine(const ProgressLine&) = delete;
  ~ProgressLine() { erase(); }

  // Shown after the first second, then a few times per second.
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
