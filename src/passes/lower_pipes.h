// Rewrites kernels made of a cube and a vector half as ordinary kernels.
#pragma once

#include "ir/nodes.h"
#include "passes/traits.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// A Group becomes a kernel in which one block runs the cube half and the next one or two the vector half: a
// launch of N blocks becomes one of N * lanes (`Function::lanes`). Pushes, pops and frees become accesses to
// slots and waits and notifies of cells, so interpreters, checkers and targets need to know nothing of pipes.
//
// Needs: inject_gm_pipe_buffer. Ensures: no AIC, AIV or Group function and no pipe op is left.
ir::ProgramRef lower_pipes(const ir::ProgramRef& program, const Traits& traits, Diagnostics& diags);

}  // namespace tilewire::passes
