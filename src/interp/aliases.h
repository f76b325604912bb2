// Which results of a function are its parameters.
//
// Everything follows from the effects and result aliases that ops declare. Tensors travel through ops that
// hand their operand back, loops, branches, scopes, calls and tuples.
#pragma once

#include <functional>
#include <vector>

#include "interp/code.h"
#include "ir/nodes.h"

namespace tilewire::interp {

// Per result: the root it always is, whole and with the same strides, or -1. `roots`: parameters of a
// function, or variables a scope captures. `callee`: a called function by name.
std::vector<int> returned_params(const ir::Block& body, const std::vector<const ir::Var*>& roots,
                                 const std::function<const Code&(const std::string&)>& callee);

}  // namespace tilewire::interp
