// Inlines functions into their callers.
#pragma once

#include "ir/nodes.h"
#include "passes/rebuild.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// Replaces the calls of every function of type Inline by its body and drops those functions. The
// text frontend inlines on its own; this is for IR that was built.
//
// Needs: verified IR. Ensures: no Inline function and no call of one is left.
ir::ProgramRef inline_functions(const ir::ProgramRef& program, Diagnostics& diags);

// The result of inlining a body: its statements, and the values that it returned.
struct Spliced {
  std::vector<ir::StmtRef> stmts;
  ir::ExprList values;

  // The replacement of the call: nothing, one value or a tuple of them.
  ir::ExprRef value(const Span& span) const;
};

// A copy of the callee's body with `args` for its parameters and their dimensions for its dynamic ones.
// All variables in it are new.
Spliced splice(const ir::Function& callee, const ir::ExprList& args, Diagnostics& diags);

}  // namespace tilewire::passes
