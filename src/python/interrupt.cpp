#include "python/interrupt.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

#include "runtime/run.h"

namespace tilewire::python {
namespace {

struct sigaction before;  // written by the main thread alone, while its handler is not installed

void stop_runs(int signal) {
  runtime::request_abort();
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(signal);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  if (getpid() != syscall(SYS_gettid)) return;
  struct sigaction action {};
  action.sa_handler = stop_runs;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGINT, nullptr, &before) != 0) return;
  // A handler that wants more than the number of the signal is not ours to replace.
  if (before.sa_flags & SA_SIGINFO || before.sa_handler == stop_runs) return;
  installed_ = sigaction(SIGINT, &action, nullptr) == 0;
}

InterruptGuard::~InterruptGuard() {
  if (installed_) sigaction(SIGINT, &before, nullptr);
}

}  // namespace tilewire::python
