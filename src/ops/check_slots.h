// Checks of slots of peers that need the whole function.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::ops {

// A slot that `pld.peer_slot` made, whatever name it goes by, is only notified: cells are waited for, tested
// and read by the rank that has them.
void check_slots(const ir::Program& program, Diagnostics& diags);

}  // namespace tilewire::ops
