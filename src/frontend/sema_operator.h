// Operators: folded if both sides are known, else calls of the corresponding op.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// An operator with its operands.
Value eval_operator(Sema& sema, const Expr& e);
// A binary operator of values already evaluated.
Value binary(Sema& sema, Operator op, const Value& a, const Value& b, const Expr& e);
// Whether evaluating a scalar may stop the run: a division, a shift, a narrowing cast.
bool may_stop(const ir::Expr& scalar);
// `a and b`, `a or b`. The right side is evaluated only if needed: if that takes statements,
// they are emitted into a branch.
Value logical(Sema& sema, const Expr& e);
// The row_expand_* or col_expand_* form of a binary op whose operands have shapes [r, c] and [r, 1] or [1,
// c].
const ir::Op* expanded_form(Sema& sema, const ir::Op& op, std::vector<ir::OpArgument>& args);
// `a if c else b`.
Value conditional(Sema& sema, const Expr& e);
// Evaluates an expression; literals without another operand to determine their dtype become `dtype`.
Value eval_for(Sema& sema, const Expr& e, std::optional<ir::DType> dtype);

}  // namespace tilewire::frontend
