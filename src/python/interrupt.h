// Ctrl-C while a program runs. Python's own handler only records the signal, which nothing checks while
// native code runs; this one also stops the run, and Python then raises KeyboardInterrupt.
//
// Once installed, the handler stays, because installing it takes longer than a short call; outside of calls
// it does nothing but call Python's. Where Python has no handler it is installed for each call and removed
// again. Whether another handler has replaced it is checked once per tick of the coarse clock (4 ms).
#pragma once

#include <csignal>

namespace tilewire::python {

class InterruptGuard {
 public:
  InterruptGuard();  // does nothing on threads other than the main one, which get no signals
  InterruptGuard(const InterruptGuard&) = delete;
  ~InterruptGuard();

 private:
  bool install(const struct sigaction& current);

  bool guards_ = false;
  bool temporary_ = false;
  struct sigaction before_;  // the handler to restore; only of a temporary one
};

}  // namespace tilewire::python
