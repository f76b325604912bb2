// Scalar arithmetic. Integers wrap to their dtype; `//` and `%` floor as in Python, a zero integer divisor is
// an error, and on floats they give what NumPy gives. Floats are computed in FP32, `**` in FP64, and rounded
// to the dtype.
#include <cmath>

#include "interp/elementwise.h"
#include "interp/op_table.h"
#include "numeric/numeric.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

enum class ScalarOp {
  Add,
  Sub,
  Mul,
  FloorDiv,
  Mod,
  TrueDiv,
  Pow,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,
  Or,
  BitAnd,
  BitOr,
  BitXor,
  Shl,
  Shr,
  Min,
  Max,
  Neg,
  Abs,
  Not,
  BitNot
};

void set_float(Context& c, DType dtype, double value) {
  c.result = Scalar::of_float(dtype, numeric::round_float(dtype, value));
}
void set_integer(Context& c, DType dtype, int64_t value) {
  c.result = Scalar::of_int(dtype, numeric::wrap(dtype, value));
}

// --- floats

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

void float_binary(Context& c, ScalarOp op, DType dtype, double x, double y) {
  const auto a = static_cast<float>(x), b = static_cast<float>(y);
  switch (op) {
    case ScalarOp::Add:
      return set_float(c, dtype, a + b);
    case ScalarOp::Sub:
      return set_float(c, dtype, a - b);
    case ScalarOp::Mul:
      return set_float(c, dtype, a * b);
    case ScalarOp::TrueDiv:
      return set_float(c, dtype, a / b);
    case ScalarOp::FloorDiv:
      return set_float(c, dtype, divmod(a, b).first);
    case ScalarOp::Mod:
      return set_float(c, dtype, divmod(a, b).second);
    case ScalarOp::Pow:
      return set_float(c, dtype, std::pow(x, y));
    case ScalarOp::Min:
      return set_float(c, dtype, combine(BinaryOp::Min, a, b));
    default:
      return set_float(c, dtype, combine(BinaryOp::Max, a, b));
  }
}

// --- integers

template <class T>
T floor_div(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(-static_cast<uint64_t>(a));
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  }
  return a / b;
}
template <class T>
T floor_mod(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
    T rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  return a % b;
}

int64_t power(DType dtype, int64_t base, int64_t exponent) {
  if (info(dtype).is_signed && exponent < 0) fail(diag::run_negative_power, {std::to_string(exponent)});
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (auto left = static_cast<uint64_t>(exponent); left != 0; left >>= 1, factor *= factor) {
    if (left & 1) result *= factor;
  }
  return static_cast<int64_t>(result);
}

int64_t integer_binary(ScalarOp op, DType dtype, int64_t a, int64_t b) {
  const bool is_unsigned = dtype == DType::UInt64;
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
    case ScalarOp::Add:
      return combine(BinaryOp::Add, dtype, a, b);
    case ScalarOp::Sub:
      return combine(BinaryOp::Sub, dtype, a, b);
    case ScalarOp::Mul:
      return combine(BinaryOp::Mul, dtype, a, b);
    case ScalarOp::FloorDiv:
      if (b == 0) fail(diag::run_zero_divisor, {"//"});
      return is_unsigned ? static_cast<int64_t>(floor_div(ua, ub)) : floor_div(a, b);
    case ScalarOp::Mod:
      if (b == 0) fail(diag::run_zero_divisor, {"%"});
      return is_unsigned ? static_cast<int64_t>(floor_mod(ua, ub)) : floor_mod(a, b);
    case ScalarOp::Pow:
      return power(dtype, a, b);
    case ScalarOp::BitAnd:
    case ScalarOp::And:
      return a & b;
    case ScalarOp::BitOr:
    case ScalarOp::Or:
      return a | b;
    case ScalarOp::BitXor:
      return a ^ b;
    case ScalarOp::Shl:
    case ScalarOp::Shr:
      if (info(dtype).is_signed && b < 0) {
        fail(diag::run_negative_shift, {op == ScalarOp::Shl ? "<<" : ">>", std::to_string(b)});
      }
      return combine(op == ScalarOp::Shl ? BinaryOp::Shl : BinaryOp::Shr, dtype, a, b);
    case ScalarOp::Min:
      return combine(BinaryOp::Min, dtype, a, b);
    default:
      return combine(BinaryOp::Max, dtype, a, b);
  }
}

void binary(Context& c, int which) {
  const Scalar &a = c.scalar(0), &b = c.scalar(1);
  auto op = static_cast<ScalarOp>(which);
  if (a.is_float()) return float_binary(c, op, a.dtype, a.f, b.f);
  set_integer(c, a.dtype, integer_binary(op, a.dtype, a.i, b.i));
}

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

void comparison(Context& c, int which) {
  const Scalar &a = c.scalar(0), &b = c.scalar(1);
  auto op = static_cast<ScalarOp>(which);
  bool held = a.is_float()               ? compare(op, a.f, b.f)
              : a.dtype == DType::UInt64 ? compare(op, static_cast<uint64_t>(a.i), static_cast<uint64_t>(b.i))
                                         : compare(op, a.i, b.i);
  c.result = Scalar::of_bool(held);
}

void unary(Context& c, int which) {
  const Scalar& a = c.scalar(0);
  auto op = static_cast<ScalarOp>(which);
  if (a.is_float()) return set_float(c, a.dtype, op == ScalarOp::Neg ? -a.f : std::fabs(a.f));
  const auto negative = static_cast<int64_t>(-static_cast<uint64_t>(a.i));
  switch (op) {
    case ScalarOp::Neg:
      return set_integer(c, a.dtype, negative);
    case ScalarOp::Abs:
      return set_integer(c, a.dtype, info(a.dtype).is_signed && a.i < 0 ? negative : a.i);
    case ScalarOp::Not:
      return set_integer(c, a.dtype, !a.i);
    default:
      return set_integer(c, a.dtype, a.dtype == DType::Bool ? !a.i : ~a.i);
  }
}

std::string integer_text(const Scalar& a) {
  return a.dtype == DType::UInt64 ? std::to_string(static_cast<uint64_t>(a.i)) : std::to_string(a.i);
}

bool fits_from(const Scalar& a, DType to) {
  if (a.dtype == DType::UInt64 && a.i < 0) return to == DType::UInt64;
  return fits(a.i, to);
}

void cast(Context& c, int) {
  const Scalar& a = c.scalar(0);
  DType to = static_cast<const ScalarType&>(*c.call.type).dtype;
  if (is_float(to)) {
    double value =
        a.is_float() ? numeric::round_float(to, a.f) : numeric::to_float(to, a.i, a.dtype == DType::UInt64);
    c.result = Scalar::of_float(to, value);
  } else if (a.is_float()) {
    c.result = Scalar::of_int(to, numeric::to_integer(to, a.f));
  } else if (to == DType::Bool) {
    c.result = Scalar::of_bool(a.i != 0);
  } else {
    if (!fits_from(a, to)) fail(diag::run_narrowing, {integer_text(a), "pl." + std::string(info(to).name)});
    c.result = Scalar::of_int(to, a.i);
  }
}

}  // namespace

void add_scalar(OpEntries& entries) {
  struct Entry {
    const char* name;
    ScalarOp op;
    OpRun run;
  };
  const Entry all[] = {
      {"add", ScalarOp::Add, binary},     {"sub", ScalarOp::Sub, binary},
      {"mul", ScalarOp::Mul, binary},     {"floordiv", ScalarOp::FloorDiv, binary},
      {"mod", ScalarOp::Mod, binary},     {"truediv", ScalarOp::TrueDiv, binary},
      {"pow", ScalarOp::Pow, binary},     {"eq", ScalarOp::Eq, comparison},
      {"ne", ScalarOp::Ne, comparison},   {"lt", ScalarOp::Lt, comparison},
      {"le", ScalarOp::Le, comparison},   {"gt", ScalarOp::Gt, comparison},
      {"ge", ScalarOp::Ge, comparison},   {"and", ScalarOp::And, binary},
      {"or", ScalarOp::Or, binary},       {"bitand", ScalarOp::BitAnd, binary},
      {"bitor", ScalarOp::BitOr, binary}, {"bitxor", ScalarOp::BitXor, binary},
      {"shl", ScalarOp::Shl, binary},     {"shr", ScalarOp::Shr, binary},
      {"min", ScalarOp::Min, binary},     {"max", ScalarOp::Max, binary},
      {"neg", ScalarOp::Neg, unary},      {"abs", ScalarOp::Abs, unary},
      {"not", ScalarOp::Not, unary},      {"bitnot", ScalarOp::BitNot, unary},
  };
  for (const Entry& e : all) entries.add(std::string("pl.scalar.") + e.name, e.run, static_cast<int>(e.op));
  entries.add("pl.scalar.cast", cast);
}

}  // namespace tilewire::interp
