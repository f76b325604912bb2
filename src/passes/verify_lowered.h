// The phase boundary after lowering.
#pragma once

#include "ir/nodes.h"
#include "passes/traits.h"

namespace tilewire::passes {

// Violations of what pipeline.h promises to targets, one line each with the function's name; empty
// if there are none.
std::string not_lowered(const ir::Program& program, const Traits& traits);

}  // namespace tilewire::passes
