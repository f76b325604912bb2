#include "numeric/scalar.h"

#include <cmath>
#include <optional>
#include <utility>

#include "numeric/arithmetic.h"

namespace tilewire::numeric {
namespace {

constexpr NamedScalarOp all_ops[] = {
    {"add", ScalarOp::Add},
    {"sub", ScalarOp::Sub},
    {"mul", ScalarOp::Mul},
    {"mod", ScalarOp::Mod},
    {"floordiv", ScalarOp::FloorDiv},
    {"truediv", ScalarOp::TrueDiv},
    {"pow", ScalarOp::Pow},
    {"and", ScalarOp::And},
    {"or", ScalarOp::Or},
    {"bitand", ScalarOp::BitAnd},
    {"bitor", ScalarOp::BitOr},
    {"bitxor", ScalarOp::BitXor},
    {"shl", ScalarOp::Shl},
    {"shr", ScalarOp::Shr},
    {"min", ScalarOp::Min},
    {"max", ScalarOp::Max},
    {"neg", ScalarOp::Neg},
    {"abs", ScalarOp::Abs},
    {"not", ScalarOp::Not},
    {"bitnot", ScalarOp::BitNot},
    {"eq", ScalarOp::Eq},
    {"ne", ScalarOp::Ne},
    {"lt", ScalarOp::Lt},
    {"le", ScalarOp::Le},
    {"gt", ScalarOp::Gt},
    {"ge", ScalarOp::Ge},
};

template <class T>
bool compare(ScalarOp op, T a, T b) {
  switch (op) {
    case ScalarOp::Eq:
      return a == b;
    case ScalarOp::Ne:
      return a != b;
    case ScalarOp::Lt:
      return a < b;
    case ScalarOp::Le:
      return a <= b;
    case ScalarOp::Gt:
      return a > b;
    default:
      return a >= b;
  }
}

// The element-wise op of the same meaning.
std::optional<BinaryOp> elementwise(ScalarOp op) {
  switch (op) {
    case ScalarOp::Add:
      return BinaryOp::Add;
    case ScalarOp::Sub:
      return BinaryOp::Sub;
    case ScalarOp::Mul:
      return BinaryOp::Mul;
    case ScalarOp::TrueDiv:
      return BinaryOp::Div;
    case ScalarOp::And:
    case ScalarOp::BitAnd:
      return BinaryOp::And;
    case ScalarOp::Or:
    case ScalarOp::BitOr:
      return BinaryOp::Or;
    case ScalarOp::BitXor:
      return BinaryOp::Xor;
    case ScalarOp::Shl:
      return BinaryOp::Shl;
    case ScalarOp::Shr:
      return BinaryOp::Shr;
    case ScalarOp::Min:
      return BinaryOp::Min;
    case ScalarOp::Max:
      return BinaryOp::Max;
    default:
      return std::nullopt;
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

ScalarFault fault_of(ScalarOp op, DType dtype, int64_t b) {
  const bool negative = ir::info(dtype).is_signed && b < 0;
  switch (op) {
    case ScalarOp::FloorDiv:
    case ScalarOp::Mod:
      return b == 0 ? ScalarFault::ZeroDivisor : ScalarFault::None;
    case ScalarOp::Pow:
      return negative ? ScalarFault::NegativePower : ScalarFault::None;
    case ScalarOp::Shl:
    case ScalarOp::Shr:
      return negative ? ScalarFault::NegativeShift : ScalarFault::None;
    default:
      return ScalarFault::None;
  }
}

// Before it is wrapped to the dtype. T: int64_t, or uint64_t for UINT64.
template <class T>
T integer_value(ScalarOp op, DType dtype, T a, T b) {
  switch (op) {
    case ScalarOp::FloorDiv:
      return floor_div(a, b);
    case ScalarOp::Mod:
      return floor_mod(a, b);
    case ScalarOp::Pow:
      return static_cast<T>(power(static_cast<int64_t>(a), static_cast<int64_t>(b)));
    case ScalarOp::Neg:
      return wrapping_neg(a);
    case ScalarOp::Abs:
      return a < 0 ? wrapping_neg(a) : a;
    case ScalarOp::Not:
      return !a;
    case ScalarOp::BitNot:
      return dtype == DType::Bool ? !a : ~a;
    default:
      return static_cast<T>(
          combine(*elementwise(op), dtype, static_cast<int64_t>(a), static_cast<int64_t>(b)));
  }
}

}  // namespace

std::span<const NamedScalarOp> scalar_ops() {
  return all_ops;
}

IntegerResult integer_result(ScalarOp op, DType dtype, int64_t a, int64_t b) {
  if (ScalarFault fault = fault_of(op, dtype, b); fault != ScalarFault::None) return {0, fault};
  if (dtype == DType::UInt64) {
    const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
    if (is_comparison(op)) return {compare(op, ua, ub)};
    return {static_cast<int64_t>(integer_value(op, dtype, ua, ub))};
  }
  if (is_comparison(op)) return {compare(op, a, b)};
  return {wrap(dtype, integer_value(op, dtype, a, b))};
}

double float_result(ScalarOp op, DType dtype, double x, double y) {
  const auto a = static_cast<float>(x), b = static_cast<float>(y);
  switch (op) {
    case ScalarOp::FloorDiv:
      return round_float(dtype, divmod(a, b).first);
    case ScalarOp::Mod:
      return round_float(dtype, divmod(a, b).second);
    case ScalarOp::Pow:
      return round_float(dtype, std::pow(x, y));
    case ScalarOp::Neg:
      return -x;
    case ScalarOp::Abs:
      return std::fabs(x);
    default:
      return round_float(dtype, static_cast<double>(combine(*elementwise(op), a, b)));
  }
}

bool compare_floats(ScalarOp op, double a, double b) {
  return compare(op, a, b);
}

}  // namespace tilewire::numeric
