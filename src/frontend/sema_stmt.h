// Simple statements: assignments, returns, assertions, expressions.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// Statements in order, up to a return.
void block(Sema& sema, std::span<const Stmt* const> body);
// The form a callee names; nothing for anything else.
std::optional<Form> form_of(Sema& sema, const Expr& callee);
// After an error the name counts as assigned, so that its uses stay silent.
void bind_error(Sema& sema, const Expr& target);
// Reports an op that must be the right-hand side of a plain `name = ...` but is not.
void report_not_plain(Sema& sema, const ir::Op& op, const Span& at);
// Whether a call has no value.
bool has_no_value(const ir::Expr& expr);
// A value is wanted from such a call.
void report_no_value(Sema& sema, const Span& at);
// Whether a statement is an explicit yield.
bool is_yield(Sema& sema, const Stmt& s);

}  // namespace tilewire::frontend
