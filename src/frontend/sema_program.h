// What is in a text: programs, functions, constants; which of them are read, and in what order.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// What the text defines; null after reporting errors.
ir::ProgramRef read_program(Sema& sema, const Ref<const SourceFile>& file, Bodies bodies);
// A further text, with the Python scope around it.
Scope* add_scope(Sema& sema, std::unique_ptr<SyntaxTree> tree, std::shared_ptr<HostEvaluator> host);
// The fields that `attrs={...}` sets; false after reporting errors.
bool set_function_attributes(Sema& sema, const FunctionInfo& info, ir::Function& function);
// A function of the enclosing Python scope, read from its text once.
FunctionInfo* import_function(Sema& sema, const HostFunction& function);

}  // namespace tilewire::frontend
