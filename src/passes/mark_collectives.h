// Marks every collective of a kernel.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// Puts a `pld.system.enter_collective`, with the span of the call, before each collective in a kernel,
// so that an observer of a run of the lowered program knows which ops belong together.
ir::ProgramRef mark_collectives(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
