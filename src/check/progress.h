// The progress of a check, to be shown, and to stop it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "interp/pulse.h"

namespace tilewire::check {

struct Progress {
  int ranks = 1;
  uint64_t schedules = 0, states = 0;  // tried, and visited in them
};

// Called about twenty times a second; false stops the check.
using OnProgress = std::function<bool(const Progress&)>;

// Thrown through a check that is stopped; check() turns it into a report.
struct Stopped {};

class Pacer final : public interp::Pulse {
 public:
  Pacer(OnProgress tell, int ranks) : tell_(std::move(tell)), ranks_(ranks) {}

  void beat() override {
    const auto now = std::chrono::steady_clock::now();
    if (!tell_ || now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    if (!tell_({ranks_, runs, steps})) throw Stopped{};
  }

 private:
  OnProgress tell_;
  int ranks_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace tilewire::check
