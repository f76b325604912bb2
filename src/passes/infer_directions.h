// Parameter directions from what functions do.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// A parameter declared In that its function writes becomes Out, or InOut when it is read as well. What is
// read and written follows from the declared effects of ops on this rank's copy, through views, loops,
// branches, scopes and calls. Directions that are declared Out or InOut stay: they are what callers were
// promised. Host functions keep theirs.
//
// Needs: nothing beyond verified IR. Ensures: nothing writes a parameter declared In.
ir::ProgramRef infer_directions(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
