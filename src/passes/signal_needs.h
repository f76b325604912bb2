// How many signal cells functions need of the windows they are given: ops that signal every rank of a group
// use a cell for each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/nodes.h"

namespace tilewire::passes {

struct SignalNeed {
  int64_t cells_per_rank = 0;        // 0: none
  const ir::Call* where = nullptr;   // the op
  const ir::Function* in = nullptr;  // the function that contains it
};

// Of one call: the operand that must have a cell for each rank. Null when there is none.
const ir::ExprRef* signal_operand(const ir::Call& call, int64_t& cells_per_rank);

// By function, one per parameter.
using SignalNeeds = std::map<std::string, std::vector<SignalNeed>, std::less<>>;
SignalNeeds signal_needs(const ir::Program& program);

}  // namespace tilewire::passes
