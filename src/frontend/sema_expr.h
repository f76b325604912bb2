// Expressions: what each means, and how known values become run-time ones.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// The value of an expression.
Value eval(Sema& sema, const Expr& e);
// A call of an op, chosen by its operands. `annotated`: the type written beside the name it is assigned to.
Value call_op(Sema& sema, const OpValue& op, const Expr& e, ir::TypeRef annotated = nullptr);
// Makes a call, checks its level; a null result was reported.
ir::ExprRef make_call(Sema& sema, const ir::Op& op, std::vector<ir::OpArgument> args,
                      std::vector<ir::OpKeyword> keywords, const Span& at, ir::TypeRef annotated = nullptr);
// The same by name, of operands that are known to fit.
ir::ExprRef op_call(Sema& sema, std::string_view qualified, std::vector<ir::ExprRef> args, const Span& at,
                    std::vector<ir::OpKeyword> keywords = {});
// Arguments of an op call keep the span of each element of a list, so that an error points at it.
ir::OpArgument argument(Sema& sema, const Value& value, const Span& at);
ir::OpArgument argument(Sema& sema, const Expr& e, bool& failed);
// A run-time expression for the value; null after reporting (what: "an operand").
ir::ExprRef to_expr(Sema& sema, const Value& value, const Span& at);
// The same, bound to a variable unless it is a variable, a constant or plain scalar arithmetic.
ir::ExprRef operand(Sema& sema, const Value& value, const Span& at, std::string_view hint = "t");
// Emits `hint = value` and returns the variable.
ir::VarRef emit_assign(Sema& sema, const ir::ExprRef& value, std::string_view hint, const Span& at);
// An integer that is known when the program is read; nothing after reporting that `what` needs one.
std::optional<int64_t> known_int(Sema& sema, const Expr& e, const char* what);
// False after reporting an expression that has a value only inside a function.
bool require_function(Sema& sema, const Expr& e);

}  // namespace tilewire::frontend
