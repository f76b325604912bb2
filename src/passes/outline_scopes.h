// Turns task scopes into kernels.
#pragma once

#include "ir/nodes.h"
#include "passes/traits.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// The body of every `pl.at` and `pl.spmd` becomes a kernel, named after `name_hint`, or after the
// function when there is none. Scalars and task ids that the body captures are passed by value, tensors by
// reference; the variable of `for b in pl.spmd(n)` becomes `pl.tile.get_block_idx()`. Kernels that the body
// calls beside other work are inlined into it. The scope stays and calls the kernel.
//
// `pl.tensor.full` and `pl.tensor.arange` in an orchestration function become tasks. A kernel that the host
// dispatches gets an orchestration function that passes it on, unless Traits::dispatches_kernels: a function
// that only submits one task adds steps to every schedule, but no order. Opaque functions become
// Orchestration.
//
// Needs: no Inline functions. Ensures: a scope holds exactly one call of a kernel, or only `defer_wait`; the
// host dispatches orchestration functions only, or such kernels.
ir::ProgramRef outline_scopes(const ir::ProgramRef& program, const Traits& traits, Diagnostics& diags);

}  // namespace tilewire::passes
