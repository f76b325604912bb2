// Whether code mentions a variable.
#pragma once

#include "ir/nodes.h"

namespace tilewire::ir {

// Its definition counts.
bool uses(const Node& node, const Var& var);

}  // namespace tilewire::ir
