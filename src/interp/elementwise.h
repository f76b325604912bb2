// The binary arithmetic of tiles and tensors, for the ops that are built on it.
#pragma once

#include "interp/lanes.h"
#include "numeric/arithmetic.h"

namespace tilewire::interp {

using ir::Elementwise;
using numeric::combine;

void apply(Elementwise op, Lanes<float>& a, const Lanes<float>& b);
void apply(Elementwise op, DType dtype, Lanes<int64_t>& a, const Lanes<int64_t>& b);

}  // namespace tilewire::interp
