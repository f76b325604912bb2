// After a call: what ranks have written in the arrays of their process, copied into those of the others.
#pragma once

#include <cstdint>
#include <span>

#include "processes/process_world.h"
#include "runtime/array_parts.h"

namespace tilewire::processes {

// Who receives what ranks elsewhere have written.
struct Receivers {
  enum class Who : uint8_t { All, None, One } who = Who::All;
  int32_t process = 0;  // One

  bool has(int32_t other) const { return who == Who::All || (who == Who::One && process == other); }
};

// `written`: by all ranks of the call, as Outcome::written has it. All processes call this, before they leave
// `admit`. False when there is no memory for it or the world refused (ProcessWorld::refusal).
bool send_parts(ProcessWorld& world, int32_t ranks, std::span<const runtime::ArrayPart> written,
                const Receivers& to);

}  // namespace tilewire::processes
