// What staging between host tensors and windows needs, and how messages name their cells.
#pragma once

#include "interp/context.h"

namespace tilewire::interp {

// Row `row` of the first dimension, without that dimension.
Tensor row_of(const Tensor& tensor, int64_t row);

// "sig[1, 0]": the cell at that byte of each rank's copy, by the shape of the views.
std::string cell_text(const Window& window, int64_t offset);

}  // namespace tilewire::interp
