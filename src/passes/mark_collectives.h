// Says in front of every collective of a kernel which one it is.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// Puts a `pld.system.enter_collective`, with the span of the call, in front of each collective in a kernel,
// so that whoever follows a run of the lowered program knows which ops belong together.
ir::ProgramRef mark_collectives(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
