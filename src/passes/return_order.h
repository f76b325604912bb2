// Which of its parameters a kernel, a Group or a half of one returns, and in which order.
#pragma once

#include <optional>
#include <vector>

#include "ir/nodes.h"
#include "passes/roots.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// For each place among the results in the order of the parameters they are, other values last: the number of
// the result that belongs there. A bijection, checked: nothing, and an error, when a tensor is none of the
// parameters, one of several, or returned twice.
using ReturnOrder = std::vector<size_t>;
std::optional<ReturnOrder> return_order(const ir::Function& kernel, const std::vector<Returned>& returned,
                                        Diagnostics& diags);

}  // namespace tilewire::passes
