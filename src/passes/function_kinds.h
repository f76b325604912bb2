// Kinds of functions that passes tell apart.
#pragma once

#include "ir/enums.h"

namespace tilewire::passes {

// Runs on one core.
inline bool is_kernel(ir::FunctionType type) {
  return type == ir::FunctionType::InCore || type == ir::FunctionType::AIC || type == ir::FunctionType::AIV;
}

// What a call of it makes is one task.
inline bool is_kernel_or_group(ir::FunctionType type) {
  return is_kernel(type) || type == ir::FunctionType::Group;
}

}  // namespace tilewire::passes
