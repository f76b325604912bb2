// Scalar arithmetic on constants, with the meaning it has at run time.
#pragma once

#include "ir/nodes.h"

namespace tilewire::passes {

// The value of the call, if its operands determine it: a constant, or one of the operands (`x + 0`). Integers
// wrap to their dtype, `//` and `%` round down, floats are rounded to their dtype after each operation. Null
// if it is not known, and for what stops a run with an error: a zero divisor, a value that does not fit.
ir::ExprRef fold_scalar(const ir::Call& call);

}  // namespace tilewire::passes
