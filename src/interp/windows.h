// What staging between host tensors and windows needs.
#pragma once

#include "interp/context.h"

namespace tilewire::interp {

// Row `row` of the first dimension, without that dimension.
Tensor row_of(const Tensor& tensor, int64_t row);

}  // namespace tilewire::interp
