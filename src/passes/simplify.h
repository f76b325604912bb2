// Constant folding and removal of unused code.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// Folds scalar arithmetic on constants and substitutes constants for the variables that hold them; keeps the
// taken side of branches with known conditions; drops loops without iterations, inlines those with one and
// unrolls short ones of `pl.unroll`; then drops what has no effect and whose results are unused. One walk
// forward and one back: linear time.
//
// Needs: nothing beyond verified IR. Ensures: the same results and effects; a value that was never used may
// no longer be computed, nor the error raised that its computation would have been.
ir::ProgramRef simplify(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
