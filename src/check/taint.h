// Values that depend on the schedule although there is no race: what a wait saw, what a test said, what a
// signal cell held.
#pragma once

#include "interp/code.h"

namespace tilewire::check {

// The place where such a value decides a branch, a loop, an address, a peer, a launch or the value of a
// signal; null: nowhere. Values that pass through memory are followed as far as: some of it may hold one.
const ir::Node* schedule_decides(const interp::Code& entry);

}  // namespace tilewire::check
