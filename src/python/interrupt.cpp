#include "python/interrupt.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "runtime/run.h"

namespace tilewire::python {
namespace {

using Handler = void (*)(int);

std::atomic<bool> guarded{false};        // the main thread is in a call
std::atomic<Handler> replaced{SIG_DFL};  // by the handler that is installed
std::atomic<Handler> first_replaced{SIG_DFL};
std::atomic<int> depth{0};

bool is_callable(Handler handler) {
  return handler != SIG_DFL && handler != SIG_IGN;
}

void stop_runs(int signal) {
  if (guarded.load()) runtime::request_abort();
  // A handler that was installed over this one, and replaced in its turn, may call this one again.
  const Handler next = depth.fetch_add(1) == 0 ? replaced.load() : first_replaced.load();
  if (is_callable(next)) next(signal);
  depth.fetch_sub(1);
}

// A child of fork has one thread, whichever it was before.
std::atomic<uint32_t> forks{0};

bool on_main_thread() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
  static_cast<void>(registered);
  thread_local uint32_t known_at = UINT32_MAX;
  thread_local bool is_main = false;
  if (known_at != forks.load(std::memory_order_relaxed)) {
    known_at = forks.load(std::memory_order_relaxed);
    is_main = getpid() == syscall(SYS_gettid);
  }
  return is_main;
}

// Of a clock that takes a few nanoseconds to read and moves every few milliseconds.
int64_t tick() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

int64_t installed_at = -1;  // when the handler was last seen in place; main thread only

}  // namespace

InterruptGuard::InterruptGuard() {
  if (!on_main_thread() || guarded.load(std::memory_order_relaxed)) return;
  const int64_t now = tick();
  if (now != installed_at) {
    struct sigaction current {};
    if (sigaction(SIGINT, nullptr, &current) != 0) return;
    // A handler that wants more than the number of the signal is not ours to replace.
    if (current.sa_flags & SA_SIGINFO) return;
    if (current.sa_handler != stop_runs && !install(current)) return;
    if (!temporary_) installed_at = now;
  }
  guards_ = true;
  guarded.store(true);
}

InterruptGuard::~InterruptGuard() {
  if (!guards_) return;
  guarded.store(false);
  if (temporary_) sigaction(SIGINT, &before_, nullptr);
}

bool InterruptGuard::install(const struct sigaction& current) {
  before_ = current;
  struct sigaction action = current;
  action.sa_handler = stop_runs;
  replaced.store(current.sa_handler);
  if (!is_callable(first_replaced.load())) first_replaced.store(current.sa_handler);
  temporary_ = !is_callable(current.sa_handler);
  if (temporary_) installed_at = -1;
  return sigaction(SIGINT, &action, nullptr) == 0;
}

}  // namespace tilewire::python
