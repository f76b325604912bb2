// Tensors that kernels make for themselves, on targets whose kernels have no memory outside the core.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// A tensor that a kernel creates becomes a parameter with one more dimension: every launch makes it, with a
// part for each of its blocks. A tensor stays where it is when its shape follows from what only the kernel
// knows.
//
// Needs: scopes hold single calls.
ir::ProgramRef lift_kernel_tensors(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
