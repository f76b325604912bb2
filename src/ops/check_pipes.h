// Checks of pipes that need the whole program.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::ops {

// Every `pl.import_peer_buffer` names a function of the program, and a buffer that this function reserves.
void check_pipes(const ir::Program& program, Diagnostics& diags);

}  // namespace tilewire::ops
