// Calls of language forms that are not ops: pl.const, pl.dynamic, pld.alloc_window, ...
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// A call of a form that is an expression.
Value call_form(Sema& sema, const FormValue& form, const Expr& e);
// The value as a constant of a dtype; an error when it does not fit.
Value typed_constant(Sema& sema, const Value& value, ir::DType dtype, const Span& at);
// `w = pld.alloc_window(shape, dtype=)` and `s = pld.alloc_signal(n)`: the buffer and a view of all of it.
// The buffer takes the name, because that is what manifests show; the view is what the name means from here.
Value alloc_window(Sema& sema, const Expr& e, Form form, const std::string& name);
// Emits `name = alloc_window_buffer(...)` and remembers the buffer; null when the name is taken.
ir::WindowBufferRef define_window(Sema& sema, const std::string& name, const ir::ExprRef& alloc,
                                  const Span& at);

}  // namespace tilewire::frontend
