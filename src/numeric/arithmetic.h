// Binary arithmetic of elements, as tiles and tensors have it: integers wrap, division truncates and gives 0
// for a zero divisor, shifts take the count as unsigned.
#pragma once

#include <cmath>
#include <cstdint>

#include "numeric/numeric.h"
#include "support/diagnostics.h"
#include "support/integers.h"

namespace tilewire::numeric {

enum class BinaryOp : uint8_t { Add, Sub, Mul, Div, Rem, Max, Min, And, Or, Xor, Shl, Shr };

// In FP32; whoever stores the result rounds it to its dtype.
inline float combine(BinaryOp op, float a, float b) {
  switch (op) {
    case BinaryOp::Add:
      return a + b;
    case BinaryOp::Sub:
      return a - b;
    case BinaryOp::Mul:
      return a * b;
    case BinaryOp::Div:
      return a / b;
    case BinaryOp::Rem:
      return std::fmod(a, b);
    case BinaryOp::Max:
      return a >= b || std::isnan(a) ? a : b;
    case BinaryOp::Min:
      return a <= b || std::isnan(a) ? a : b;
    default:
      internal_error(__FILE__, __LINE__, "an integer op on floats");
  }
}

// On 64 bits, signed or unsigned; `bits` is the width of the dtype, to which the result has still to be
// wrapped.
template <class T>
T combine(BinaryOp op, int bits, T a, T b) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const uint64_t count = bits < 64 ? ub & ((uint64_t{1} << bits) - 1) : ub;
  switch (op) {
    case BinaryOp::Add:
      return static_cast<T>(ua + ub);
    case BinaryOp::Sub:
      return static_cast<T>(ua - ub);
    case BinaryOp::Mul:
      return static_cast<T>(ua * ub);
    case BinaryOp::Div:
      return b == 0 ? 0 : b == static_cast<T>(-1) && T(-1) < T(0) ? wrapping_neg(a) : a / b;
    case BinaryOp::Rem:
      return b == 0 || (b == static_cast<T>(-1) && T(-1) < T(0)) ? 0 : a % b;
    case BinaryOp::Max:
      return a >= b ? a : b;
    case BinaryOp::Min:
      return a <= b ? a : b;
    case BinaryOp::And:
      return a & b;
    case BinaryOp::Or:
      return a | b;
    case BinaryOp::Xor:
      return a ^ b;
    case BinaryOp::Shl:
      return count >= static_cast<uint64_t>(bits) ? 0 : static_cast<T>(ua << count);
    case BinaryOp::Shr:
      return count >= static_cast<uint64_t>(bits) ? (a < 0 ? static_cast<T>(-1) : 0)
                                                  : static_cast<T>(a >> count);
  }
  return 0;
}
inline int64_t combine(BinaryOp op, DType dtype, int64_t a, int64_t b) {
  if (dtype == DType::UInt64) {
    return static_cast<int64_t>(
        combine<uint64_t>(op, 64, static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  }
  return combine<int64_t>(op, dtype == DType::Bool ? 1 : ir::bits(dtype), a, b);
}

}  // namespace tilewire::numeric
