// The lowered form of a task scope: one call of a kernel, and the statements that take its results apart.
#pragma once

#include "ir/nodes.h"

namespace tilewire::passes {

// The call, if the body is `[r =] kernel(...)`, then `x = r[i]` for its results, then a yield; else null.
const ir::FunctionCall* single_call(const ir::Block& body);

// Whether the body is only `pld.system.defer_wait`: such a task occupies no core and is not a kernel.
bool only_defers(const ir::Block& body);

// The result type of a call of `callee`: a returned parameter has the type of the argument.
ir::TypeRef call_type(const std::vector<ir::TypeRef>& return_types, const std::vector<int>& roots,
                      const ir::ExprList& args);

}  // namespace tilewire::passes
