// Calls of functions: inlined text, tasks and dispatches; one version per set of argument types.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// The parameter whose storage a result of a call names; -1: none.
int call_root(const Sema& sema, const ir::FunctionCall& call, size_t result);
// A call of a function of the program: inlined, a task, or a dispatch.
Value call_function(Sema& sema, FunctionInfo& info, const Expr& e);
// Whether a scalar of a host function has the variable of a `pl.range` in it.
bool follows_rank_loop(const Sema& sema, const ir::ExprRef& expr);
// A `pl.at` holds either one kernel call or a kernel written inline, and kernels cannot call kernels.
bool check_scope_call(Sema& sema, const ir::AtScope& scope);

}  // namespace tilewire::frontend
