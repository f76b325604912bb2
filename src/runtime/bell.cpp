#include "runtime/bell.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tilewire::runtime {

void Bell::ring() {
  rings_.fetch_add(1);
  if (!asleep_.exchange(false)) return;
  const int wake = within_ == Within::Process ? FUTEX_WAKE_PRIVATE : FUTEX_WAKE;
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&rings_), wake, 1, nullptr, nullptr, 0);
}

void Bell::sleep(uint32_t rings) {
  const int wait = within_ == Within::Process ? FUTEX_WAIT_PRIVATE : FUTEX_WAIT;
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&rings_), wait, rings, nullptr, nullptr, 0);
  stay_awake();
}

}  // namespace tilewire::runtime
