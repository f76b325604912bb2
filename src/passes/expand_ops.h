// Ops that are made of other ops.
#pragma once

#include "ir/op.h"
#include "passes/traits.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// Writes every call of an op whose record has an expansion (ir/expansion.h) as that: interpreter and targets
// need no rule for such an op. Floats are computed in FP32 and rounded once, at the end.
//
// Ensures: no op with an expansion is left, except those for which the target has its own rule.
ir::ProgramRef expand_ops(const ir::ProgramRef& program, const Traits& traits, Diagnostics& diags);

// Whether calls of the op are written as its expansion for such a target.
bool is_expanded(const ir::Op& op, const Traits& traits);

}  // namespace tilewire::passes
