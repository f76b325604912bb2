#include "numeric/scalar.h"

#include <cmath>
#include <utility>

#include "numeric/arithmetic.h"

namespace tilewire::numeric {
namespace {

template <class T>
bool compare(Elementwise op, T a, T b) {
  switch (op) {
    case Elementwise::Eq:
      return a == b;
    case Elementwise::Ne:
      return a != b;
    case Elementwise::Lt:
      return a < b;
    case Elementwise::Le:
      return a <= b;
    case Elementwise::Gt:
      return a > b;
    default:
      return a >= b;
  }
}

int64_t power(int64_t base, int64_t exponent) {
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (auto left = static_cast<uint64_t>(exponent); left != 0; left >>= 1, factor *= factor) {
    if (left & 1) result *= factor;
  }
  return static_cast<int64_t>(result);
}

// NumPy's divmod: the remainder has the sign of the divisor, the quotient is the integer it belongs to.
std::pair<float, float> divmod(float a, float b) {
  float mod = std::fmod(a, b);
  if (b == 0) return {a / b, mod};
  float quotient = (a - mod) / b;
  if (mod != 0) {
    if ((b < 0) != (mod < 0)) {
      mod += b;
      quotient -= 1.0f;
    }
  } else {
    mod = std::copysign(0.0f, b);
  }
  if (quotient == 0) return {std::copysign(0.0f, a / b), mod};
  float floored = std::floor(quotient);
  return {quotient - floored > 0.5f ? floored + 1.0f : floored, mod};
}

ScalarFault fault_of(Elementwise op, DType dtype, int64_t b) {
  const bool negative = ir::info(dtype).is_signed && b < 0;
  switch (op) {
    case Elementwise::FloorDiv:
    case Elementwise::Mod:
      return b == 0 ? ScalarFault::ZeroDivisor : ScalarFault::None;
    case Elementwise::Pow:
      return negative ? ScalarFault::NegativePower : ScalarFault::None;
    case Elementwise::Shl:
    case Elementwise::Shr:
      return negative ? ScalarFault::NegativeShift : ScalarFault::None;
    default:
      return ScalarFault::None;
  }
}

// Before it is wrapped to the dtype. T: int64_t, or uint64_t for UINT64.
template <class T>
T integer_value(Elementwise op, DType dtype, T a, T b) {
  switch (op) {
    case Elementwise::FloorDiv:
      return floor_div(a, b);
    case Elementwise::Mod:
      return floor_mod(a, b);
    case Elementwise::Pow:
      return static_cast<T>(power(static_cast<int64_t>(a), static_cast<int64_t>(b)));
    case Elementwise::Neg:
      return wrapping_neg(a);
    case Elementwise::Abs:
      return a < 0 ? wrapping_neg(a) : a;
    case Elementwise::Not:
      return dtype == DType::Bool ? !a : ~a;
    default:
      return static_cast<T>(combine(op, dtype, static_cast<int64_t>(a), static_cast<int64_t>(b)));
  }
}

}  // namespace

IntegerResult integer_result(Elementwise op, DType dtype, int64_t a, int64_t b) {
  if (ScalarFault fault = fault_of(op, dtype, b); fault != ScalarFault::None) return {0, fault};
  if (dtype == DType::UInt64) {
    const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
    if (is_comparison(op)) return {compare(op, ua, ub)};
    return {static_cast<int64_t>(integer_value(op, dtype, ua, ub))};
  }
  if (is_comparison(op)) return {compare(op, a, b)};
  return {wrap(dtype, integer_value(op, dtype, a, b))};
}

double float_result(Elementwise op, DType dtype, double x, double y) {
  const auto a = static_cast<float>(x), b = static_cast<float>(y);
  switch (op) {
    case Elementwise::FloorDiv:
      return round_float(dtype, divmod(a, b).first);
    case Elementwise::Mod:
      return round_float(dtype, divmod(a, b).second);
    case Elementwise::Pow:
      return round_float(dtype, std::pow(x, y));
    case Elementwise::Neg:
      return -x;
    case Elementwise::Abs:
      return std::fabs(x);
    default:
      return round_float(dtype, static_cast<double>(combine(op, a, b)));
  }
}

bool compare_floats(Elementwise op, double a, double b) {
  return compare(op, a, b);
}

}  // namespace tilewire::numeric
