// How an operand is written in the program, for messages.
#pragma once

#include <string>

#include "ir/nodes.h"

namespace tilewire::ir {

// From the source at `place`, its beginning if it is long; from the expression if the source is not known. A
// temporary has a name that no program shows, so the source comes first.
std::string written(const Span* place, const ExprRef& expr);

}  // namespace tilewire::ir
