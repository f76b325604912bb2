// The binary arithmetic of tiles and tensors, for the ops that are built on it.
#pragma once

#include "interp/lanes.h"

namespace tilewire::interp {

enum class BinaryOp : uint8_t { Add, Sub, Mul, Div, Rem, Max, Min, And, Or, Xor, Shl, Shr };

float combine(BinaryOp op, float a, float b);
// On 64 bits: the result still has to be wrapped to the dtype.
int64_t combine(BinaryOp op, DType dtype, int64_t a, int64_t b);
void apply(BinaryOp op, Lanes<float>& a, const Lanes<float>& b);
void apply(BinaryOp op, DType dtype, Lanes<int64_t>& a, const Lanes<int64_t>& b);

}  // namespace tilewire::interp
