// The tensor type of a value that is known to be a tensor.
#pragma once

#include "ir/nodes.h"

namespace tilewire::passes {

inline const ir::TensorType& tensor_type_of(const ir::Expr& expr) {
  return static_cast<const ir::TensorType&>(*expr.type);
}
inline const ir::TensorType& tensor_type_of(const ir::ExprRef& expr) {
  return tensor_type_of(*expr);
}

}  // namespace tilewire::passes
