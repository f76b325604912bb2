// Subscripts: NumPy's rules for reading and writing parts of tensors, tiles, arrays and tuples.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// `x[...]` read.
Value subscript(Sema& sema, const Expr& e);
// `x[...] = value` writes in place and rebinds x.
void assign_subscript(Sema& sema, const Expr& target, const Value& value, const Stmt& stmt);
// An INDEX for a value; null after reporting that `what` needs an integer.
ir::ExprRef index_expr(Sema& sema, const Value& value, const Span& at, const char* what);

}  // namespace tilewire::frontend
