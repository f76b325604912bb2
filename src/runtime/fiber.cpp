// The switch itself is Boost.Context's; what is ours is the stack, its guard page and the sanitizers' view.
#include "runtime/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define TW_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define TW_TSAN 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TW_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define TW_TSAN 1
#endif
#endif
#ifdef TW_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef TW_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace tilewire::runtime {

namespace context = boost::context::detail;

namespace {

size_t page_bytes() {
  static const size_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

}  // namespace

struct Fiber::Switch {
  // The first words on a new stack.
  static void main(context::transfer_t from) {
    auto* fiber = static_cast<Fiber*>(from.data);
    entered(*fiber, from.fctx);
    for (;;) {
      fiber->body();
      fiber->suspend();
    }
  }

  static void entered(Fiber& fiber, void* outside) {
    fiber.outside_ = outside;
#ifdef TW_ASAN
    __sanitizer_finish_switch_fiber(fiber.fake_stack_, &fiber.resumer_stack_, &fiber.resumer_bytes_);
#endif
  }

  static void* stack(const Fiber& fiber) {
    return static_cast<std::byte*>(fiber.memory_) + page_bytes();
  }
};

bool Fiber::create() {
  size_t guard = page_bytes();
  void* memory = mmap(nullptr, guard + stack_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return false;
  if (mprotect(memory, guard, PROT_NONE) != 0) {
    munmap(memory, guard + stack_bytes);
    return false;
  }
  memory_ = memory;
  void* top = static_cast<std::byte*>(Switch::stack(*this)) + stack_bytes;
  inside_ = context::make_fcontext(top, stack_bytes, Switch::main);
#ifdef TW_TSAN
  sanitizer_ = __tsan_create_fiber(0);
#endif
  return true;
}

Fiber::~Fiber() {
  if (!memory_) return;
#ifdef TW_TSAN
  __tsan_destroy_fiber(sanitizer_);
#endif
#ifdef TW_ASAN
  // The sanitizer frees what it keeps for a stack when the stack says that it is left for the last time.
  if (fake_stack_) {
    ending_ = true;
    resume();
  }
  __asan_unpoison_memory_region(Switch::stack(*this), stack_bytes);
#endif
  munmap(memory_, page_bytes() + stack_bytes);
}

void Fiber::resume() {
#ifdef TW_ASAN
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, Switch::stack(*this), stack_bytes);
#endif
#ifdef TW_TSAN
  resumer_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizer_, 0);
#endif
  inside_ = context::jump_fcontext(inside_, this).fctx;
#ifdef TW_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void Fiber::suspend() {
  do {
#ifdef TW_ASAN
    __sanitizer_start_switch_fiber(ending_ ? nullptr : &fake_stack_, resumer_stack_, resumer_bytes_);
#endif
#ifdef TW_TSAN
    __tsan_switch_to_fiber(resumer_, 0);
#endif
    Switch::entered(*this, context::jump_fcontext(outside_, nullptr).fctx);
  } while (ending_);
}

}  // namespace tilewire::runtime
