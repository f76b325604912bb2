// The order in which kernels return what they wrote.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// Kernels return tensors in the order of the parameters they are, other values after them; callers take the
// results apart accordingly. A kernel that returns one parameter twice is refused: no order would then
// match each result with its parameter.
//
// Needs: every tensor a kernel returns is a parameter's. Ensures: the n-th tensor returned is the n-th of the
// returned parameters.
ir::ProgramRef normalize_return_order(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
