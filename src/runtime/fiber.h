// A stack for code that can be suspended in the middle, and resumed by any thread.
//
// A Fiber runs its body again and again: `resume` enters it or continues it, `suspend` (called on the fiber)
// returns control to the thread that resumed it, and when the body returns the fiber suspends and the next
// `resume` starts the body anew. So stacks are made once and reused for many short jobs.
//
// Every switch informs the address and thread sanitizers. Code on a fiber must not keep anything of the
// thread (thread-locals, their addresses) across `suspend`.
#pragma once

#include <cstddef>

namespace tilewire::runtime {

class Fiber {
 public:
  // Usable bytes of a stack; there is a guard page at its low end. Only touched pages take memory.
  static constexpr size_t stack_bytes = size_t{256} << 10;

  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  virtual ~Fiber();  // the body must have returned

  // Allocates the stack. Returns false if the system has no memory or mapping left for it.
  bool create();

  void resume();
  [[gnu::noinline]] void suspend();

 protected:
  virtual void body() = 0;

 private:
  struct Switch;
  friend struct Switch;

  void* memory_ = nullptr;     // the mapping, guard page first
  void* inside_ = nullptr;     // where the fiber continues
  void* outside_ = nullptr;    // where its resumer continues
  bool ending_ = false;        // the next resume leaves the stack for good
  void* sanitizer_ = nullptr;  // thread sanitizer: this fiber, its resumer
  void* resumer_ = nullptr;
  void* fake_stack_ = nullptr;  // address sanitizer: this fiber's, and its resumer's real stack
  const void* resumer_stack_ = nullptr;
  size_t resumer_bytes_ = 0;
};

}  // namespace tilewire::runtime
