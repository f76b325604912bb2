// Binary arithmetic on elements of tiles and tensors: integers wrap, division truncates and yields 0
// for a zero divisor, shifts take the count as unsigned.
#pragma once

#include <cmath>
#include <cstdint>

#include "ir/elementwise.h"
#include "numeric/numeric.h"
#include "support/diagnostics.h"
#include "support/integers.h"

namespace tilewire::numeric {

using ir::Elementwise;

// In FP32; the caller rounds the result to its dtype when it stores it.
inline float combine(Elementwise op, float a, float b) {
  switch (op) {
    case Elementwise::Add:
      return a + b;
    case Elementwise::Sub:
      return a - b;
    case Elementwise::Mul:
      return a * b;
    case Elementwise::Div:
      return a / b;
    case Elementwise::Rem:
      return std::fmod(a, b);
    case Elementwise::Max:
      return a >= b || std::isnan(a) ? a : b;
    case Elementwise::Min:
      return a <= b || std::isnan(a) ? a : b;
    default:
      internal_error(__FILE__, __LINE__, "an integer op on floats");
  }
}

// On 64 bits, signed or unsigned; `bits` is the width of the dtype, to which the result has still to be
// wrapped.
template <class T>
T combine(Elementwise op, int bits, T a, T b) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const uint64_t count = bits < 64 ? ub & ((uint64_t{1} << bits) - 1) : ub;
  switch (op) {
    case Elementwise::Add:
      return static_cast<T>(ua + ub);
    case Elementwise::Sub:
      return static_cast<T>(ua - ub);
    case Elementwise::Mul:
      return static_cast<T>(ua * ub);
    case Elementwise::Div:
      return b == 0 ? 0 : b == static_cast<T>(-1) && T(-1) < T(0) ? wrapping_neg(a) : a / b;
    case Elementwise::Rem:
      return b == 0 || (b == static_cast<T>(-1) && T(-1) < T(0)) ? 0 : a % b;
    case Elementwise::Max:
      return a >= b ? a : b;
    case Elementwise::Min:
      return a <= b ? a : b;
    case Elementwise::And:
      return a & b;
    case Elementwise::Or:
      return a | b;
    case Elementwise::Xor:
      return a ^ b;
    case Elementwise::Shl:
      return count >= static_cast<uint64_t>(bits) ? 0 : static_cast<T>(ua << count);
    case Elementwise::Shr:
      return count >= static_cast<uint64_t>(bits) ? (a < 0 ? static_cast<T>(-1) : 0)
                                                  : static_cast<T>(a >> count);
    default:
      internal_error(__FILE__, __LINE__, "not an op of two integers");
  }
}
inline int64_t combine(Elementwise op, DType dtype, int64_t a, int64_t b) {
  if (dtype == DType::UInt64) {
    return static_cast<int64_t>(
        combine<uint64_t>(op, 64, static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  }
  return combine<int64_t>(op, dtype == DType::Bool ? 1 : ir::bits(dtype), a, b);
}

}  // namespace tilewire::numeric
