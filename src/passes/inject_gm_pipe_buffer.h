// Hands kernels that have pipes the memory their slots lie in.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// Adds a parameter `__gm_pipe_buffer` to every function that initialises a pipe, and to the Groups that call
// it; the orchestration function creates it for each launch, with room for every block. Functions that were
// written with the parameter stay as they are.
//
// Needs: launches in scopes of one call (outline_scopes). Reports what is wrong with the pipes of built IR.
ir::ProgramRef inject_gm_pipe_buffer(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
