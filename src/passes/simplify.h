// What the compiler can work out itself.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// Folds scalar arithmetic on constants and puts constants in the place of the variables that hold them; keeps
// the taken side of branches with known conditions; drops loops without a round, opens those with one and
// writes out short ones of `pl.unroll`; then drops what has no effect and whose results nobody uses. One walk
// forward and one back: linear time.
//
// Needs: nothing beyond verified IR. Ensures: the same results and effects; a value that was never used may
// no longer be computed, and with it the error its computation would have been.
ir::ProgramRef simplify(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
