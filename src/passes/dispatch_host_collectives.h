// Turns collectives of host functions into dispatches.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// A collective that a host function calls becomes a kernel that calls it, dispatched to every rank of the
// group of its windows, with `core_num` blocks. Calls without a signal share one that the pass adds to their
// group.
//
// Needs: communication groups (collect_comm_groups). Ensures: no collective is left in a host function.
ir::ProgramRef dispatch_host_collectives(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
