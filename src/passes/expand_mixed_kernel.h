// Kernels that mix products and vector work, split into a cube and a vector half.
#pragma once

#include "ir/nodes.h"
#include "passes/traits.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// A kernel whose products and vector ops hand tiles to each other (mixed_plan.h) becomes an AIC and an AIV
// function and a Group of its name, joined by a pipe. A kernel that cannot be split stays as it is.
//
// Needs: tile ops only. Results are the same, bit for bit, as long as no two parameters that one half writes
// and the other reads are the same memory.
ir::ProgramRef expand_mixed_kernel(const ir::ProgramRef& program, const Traits& traits, Diagnostics& diags);

}  // namespace tilewire::passes
