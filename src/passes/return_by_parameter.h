// Tensors that kernels make for their callers.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// A kernel that returns a tensor it created gets an Out parameter for it; callers create the tensor before
// the call. A kernel that may return one of several tensors is refused: its caller could not know which.
//
// Needs: scopes hold single calls. Ensures: every tensor a kernel returns is a parameter's.
ir::ProgramRef return_by_parameter(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
