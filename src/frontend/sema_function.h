// One function: parameters, body, results, and what the body does to each parameter.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// The version for these arguments, typed now if it is new; null after errors.
FunctionInfo::Version* version(Sema& sema, FunctionInfo& info, std::vector<ir::TypeRef> types,
                               std::vector<Value> known, const Span& at);
// The type written beside a parameter; nothing: none, or it was reported.
std::optional<TypeValue> param_annotation(Sema& sema, const FunctionInfo& info, const Param& param);
// The decorator of a function of that type, in back-ticks, in the style of the function beside it: a method
// of a program class or a function of a module.
std::string decorator(ir::FunctionType type, const FunctionInfo& beside);
// Remembers what a call does to the parameters of the function being read.
void note_effects(Sema& sema, const ir::Call& call);
// The same for one operand.
void note_access(Sema& sema, const ir::ExprRef& value, bool reads, bool writes, const Span& at);
// The parameter whose storage a value names; -1: none.
int root_of(const Sema& sema, const ir::Expr* value);
// Whether values of two types may take each other's place.
bool same_type(const ir::TypeRef& a, const ir::TypeRef& b);

}  // namespace tilewire::frontend
