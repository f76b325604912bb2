// Which variables of a function name the storage of its parameters, and what it does to them.
//
// Everything follows from the effects and result aliases that ops declare. Tensors travel through ops that
// hand their operand back, loops, branches, scopes, calls and tuples.
#pragma once

#include <functional>
#include <vector>

#include "interp/code.h"
#include "ir/nodes.h"

namespace tilewire::interp {

struct AliasSummary {
  std::vector<ParamUse> uses;     // per root
  std::vector<int> result_param;  // per result: the root it always is, whole and with the same strides, or -1
};

// `roots`: parameters of a function, or variables a scope captures. `results`: the values it gives.
// `callee`: the summary of a called function by name.
AliasSummary summarize(const ir::Block& body, const std::vector<const ir::Var*>& roots,
                       const std::function<const Code&(const std::string&)>& callee);

}  // namespace tilewire::interp
