// Scalar arithmetic on constants, with the meaning it has at run time.
#pragma once

#include "ir/nodes.h"

namespace tilewire::passes {

// What the call gives, when its operands say: a constant, or one of the operands (`x + 0`). Integers wrap to
// their dtype, `//` and `%` round down, floats are rounded to their dtype after each operation. Null when
// that is not known, and for what stops a run with an error: a zero divisor, a value that does not fit.
ir::ExprRef fold_scalar(const ir::Call& call);

}  // namespace tilewire::passes
