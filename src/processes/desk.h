// What a process lays out for those that are near it.
#pragma once

#include "processes/mail.h"
#include "processes/process_world.h"
#include "runtime/bell.h"

namespace tilewire::processes {

// A process writes its queue to the leader, the leader the one from it.
struct ProcessWorld::Desk {
  runtime::Bell bell{runtime::Bell::Within::Host};
  std::atomic<uint32_t> attended{0};  // by its process: see Mail
  // Fibers of other processes that are parked on cells of its ranks.
  std::atomic<int32_t> watchers{0};
  alignas(SharedFile::check_offset) std::byte check[SharedFile::check_bytes];
  MailQueue to_leader, from_leader;
};

}  // namespace tilewire::processes
