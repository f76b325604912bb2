// Arithmetic of scalars: what the ops of `pl.scalar` compute, for the interpreter and for folding alike.
//
// Integers wrap to their dtype; `//` and `%` round down; shifts by the width of the dtype or more yield 0, or
// sign. Floats are computed in FP32, `**` in FP64, and rounded to the dtype; `//` and `%` are NumPy's.
#pragma once

#include "ir/elementwise.h"
#include "numeric/numeric.h"

namespace tilewire::numeric {

using ir::Elementwise;

// Why an operation on integers has no result.
enum class ScalarFault : uint8_t { None, ZeroDivisor, NegativePower, NegativeShift };
struct IntegerResult {
  int64_t value = 0;
  ScalarFault fault = ScalarFault::None;
};

// Of values of an integer dtype or BOOL, UINT64 as the int64_t of equal bits; a unary op ignores `b`.
// A comparison yields 0 or 1, everything else a value of the dtype.
IntegerResult integer_result(Elementwise op, DType dtype, int64_t a, int64_t b);
// Of values of a float dtype; neither a comparison nor an op for integers only.
double float_result(Elementwise op, DType dtype, double a, double b);
bool compare_floats(Elementwise op, double a, double b);

}  // namespace tilewire::numeric
