// The value of an integer expression over dimensions, once the dimensions are known.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "ir/nodes.h"

namespace tilewire::ops {

// `symbol`: the value of a pl.dynamic dimension, nothing if it has none. Nothing also when the expression
// uses a variable, divides by zero or leaves 64 bits.
std::optional<int64_t> evaluate_integer(
    const ir::Expr& expr, const std::function<std::optional<int64_t>(std::string_view)>& symbol);

// The name of a dimension without a value that the expression depends on; empty if there is none.
std::string_view missing_symbol(const ir::Expr& expr,
                                const std::function<std::optional<int64_t>(std::string_view)>& symbol);

}  // namespace tilewire::ops
