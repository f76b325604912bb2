// Shapes of tensors that a function makes for itself, where its caller has to make them.
#pragma once

#include <string>

#include "ir/nodes.h"

namespace tilewire::passes {

// Whether a caller can compute an extent: from parameters, dynamic dimensions and constants.
bool is_known_outside(const ir::ExprRef& extent);

// The extents of a parameter `name` that takes such a tensor. An extent that callers compute becomes a
// dynamic dimension.
ir::ExprList parameter_shape(const ir::TensorType& type, const std::string& name, const Span& span);

}  // namespace tilewire::passes
