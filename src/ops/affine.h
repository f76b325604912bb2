// Integer expressions as sums of terms, so that `(i + 1) * 16 - i * 16` is 16 when the program is read.
#pragma once

#include "ir/nodes.h"

namespace tilewire::ops {

// a * a_factor + b * b_factor, simplified: constants are folded and equal terms collected. The result is an
// INDEX constant when everything cancels, else the shortest sum of the terms left.
ir::ExprRef affine_sum(const ir::ExprRef& a, int64_t a_factor, const ir::ExprRef& b, int64_t b_factor);

}  // namespace tilewire::ops
