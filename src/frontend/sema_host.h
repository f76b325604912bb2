// Expressions that Python evaluates, once, when the program is read: `cfg.hidden`, `sizes["k"][0]`,
// `tiles_for(n)`.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// A value of the enclosing Python scope.
Value from_host(Sema& sema, const HostValue& host, const Range& range);
// The value of the whole expression as Python computes it. Python sees the names around the function, not the
// names bound in it: those are replaced by their values, and one whose value is not known yet is an error.
Value ask_host(Sema& sema, const Expr& e);

}  // namespace tilewire::frontend
