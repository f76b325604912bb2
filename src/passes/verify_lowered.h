// The phase border behind lowering.
#pragma once

#include "ir/nodes.h"
#include "passes/traits.h"

namespace tilewire::passes {

// What of a program is not as pipeline.h promises to targets, one line each with the function's name; empty
// when all of it is.
std::string not_lowered(const ir::Program& program, const Traits& traits);

}  // namespace tilewire::passes
