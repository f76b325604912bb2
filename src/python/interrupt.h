// Ctrl-C while a program runs. Python's own handler only notes the signal, and nobody looks at the note while
// native code runs; this one also stops the run, and Python then raises KeyboardInterrupt.
#pragma once

namespace tilewire::python {

class InterruptGuard {
 public:
  InterruptGuard();  // does nothing on threads other than the main one, which get no signals
  InterruptGuard(const InterruptGuard&) = delete;
  ~InterruptGuard();

 private:
  bool installed_ = false;
};

}  // namespace tilewire::python
