// Ops on whole tensors in kernels, as loads, tile ops and stores.
#pragma once

#include "ir/nodes.h"
#include "passes/traits.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// In kernels, every op that computes on whole tensors becomes tile ops. Tensors that the kernel makes for
// itself become tiles where they can (tile_plan.h); the others stay in memory and are worked on block by
// block, with valid shapes at ragged ends (block_loops.h). A returned tensor that is not a parameter is
// written to a new Out parameter, which the caller creates.
//
// Needs: no inline bodies in scopes. Ensures: no tensor op with a form (tensor_forms.h) but `create` is left
// in kernels; every tensor a kernel returns is one of its parameters.
ir::ProgramRef convert_tensor_to_tile_ops(const ir::ProgramRef& program, const Traits& traits,
                                          Diagnostics& diags);

}  // namespace tilewire::passes
