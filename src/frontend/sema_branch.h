// Branches: one side when the condition is known, else both and a merge of what they assign.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// `a, b = pl.yield_(x, y)` at the end of a body.
struct Explicit {
  const Stmt* stmt = nullptr;
  std::vector<Symbol> names;
  ir::ExprList values;
  bool failed = false;
  Span span;
};

// Gives a literal the dtype of the value beside it, where it can represent it.
void adopt_dtype(Sema& sema, Value& literal, std::optional<ir::DType> dtype, const Span& at);
// An `if`: the side that is known to be taken, or both.
void branch(Sema& sema, const Stmt& s);
// Both sides of a condition known only at run time, and a merge of `names`.
void branch_on(Sema& sema, const ir::ExprRef& condition, std::span<const Stmt* const> body,
               std::span<const Stmt* const> orelse, const std::vector<Symbol>& names, const Range& range);
// What either of two values names, the result of merging them names too, if it is the same.
void merge_roots(Sema& sema, const ir::VarRef& result, const ir::ExprRef& a, const ir::ExprRef& b);
// Whether a `return` may be reached in a statement.
bool contains_return(const Stmt& s);
// `if c: return a` followed by more: the rest belongs to the branch that did not return.
void branch_with_return(Sema& sema, const Stmt& s, std::span<const Stmt* const> rest);
// The truth of a value that is known when the program is read.
std::optional<bool> known_condition(const Value& value);
// A BOOL for a value used as a condition; null after reporting that it is none.
ir::ExprRef condition_of(Sema& sema, const Value& value, const Expr& e);
// The explicit yield that ends a body, which is shortened by it.
Explicit take_explicit_yield(Sema& sema, std::span<const Stmt* const>& body);
// Evaluates the values given to an explicit yield, inside the block that ends with it.
void eval_explicit_yield(Sema& sema, Explicit& yield);

}  // namespace tilewire::frontend
