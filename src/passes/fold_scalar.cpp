#include "passes/fold_scalar.h"

#include <cmath>
#include <unordered_map>

#include "ir/op.h"
#include "ops/registry.h"

namespace tilewire::passes {

using namespace ir;

namespace {

using Wide = __int128;

// --- constants

ExprRef integer(Wide value, DType dtype, const Span& span) {
  int width = bits(dtype);
  if (dtype == DType::Index) width = 64;
  auto low = static_cast<unsigned __int128>(value) & ((static_cast<unsigned __int128>(1) << width) - 1);
  bool negative = info(dtype).is_signed && (low >> (width - 1)) != 0;
  Wide wrapped = static_cast<Wide>(low) - (negative ? static_cast<Wide>(1) << width : 0);
  if (wrapped > INT64_MAX || wrapped < INT64_MIN) return nullptr;  // upper half of UINT64 has no constant
  if (!fits(static_cast<int64_t>(wrapped), dtype)) return nullptr;
  return make<ConstInt>(span, static_cast<int64_t>(wrapped), dtype);
}

ExprRef boolean(bool value, const Span& span) {
  return make<ConstBool>(span, value);
}

ExprRef real(float value, DType dtype, const Span& span) {
  // NaN has no literal, and -0.0 and infinities are better left to the place that computes them.
  double rounded = round_to(value, dtype);
  return std::isfinite(rounded) ? ExprRef(make<ConstFloat>(span, rounded, dtype)) : nullptr;
}

// --- operations

Wide floor_div(Wide a, Wide b) {
  Wide quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

enum class Kind : uint8_t {
  Add,
  Sub,
  Mul,
  FloorDiv,
  Mod,
  TrueDiv,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,
  Or,
  Not,
  BitAnd,
  BitOr,
  BitXor,
  BitNot,
  Shl,
  Shr,
  Min,
  Max,
  Neg,
  Abs,
  Cast,
  Dim,
};

const Kind* kind_of_op(const Op& op) {
  static const auto table = [] {
    struct Row {
      const char* name;
      Kind kind;
    };
    const Row rows[] = {
        {"scalar.add", Kind::Add},
        {"scalar.sub", Kind::Sub},
        {"scalar.mul", Kind::Mul},
        {"scalar.mod", Kind::Mod},
        {"scalar.floordiv", Kind::FloorDiv},
        {"scalar.truediv", Kind::TrueDiv},
        {"scalar.eq", Kind::Eq},
        {"scalar.ne", Kind::Ne},
        {"scalar.lt", Kind::Lt},
        {"scalar.le", Kind::Le},
        {"scalar.gt", Kind::Gt},
        {"scalar.ge", Kind::Ge},
        {"scalar.and", Kind::And},
        {"scalar.or", Kind::Or},
        {"scalar.not", Kind::Not},
        {"scalar.bitand", Kind::BitAnd},
        {"scalar.bitor", Kind::BitOr},
        {"scalar.bitxor", Kind::BitXor},
        {"scalar.bitnot", Kind::BitNot},
        {"scalar.shl", Kind::Shl},
        {"scalar.shr", Kind::Shr},
        {"scalar.min", Kind::Min},
        {"scalar.max", Kind::Max},
        {"scalar.neg", Kind::Neg},
        {"scalar.abs", Kind::Abs},
        {"scalar.cast", Kind::Cast},
        {"tensor.dim", Kind::Dim},
        {"tile.dim", Kind::Dim},
    };
    std::unordered_map<const Op*, Kind> result;
    for (const Row& row : rows) result[ops::registry().find("pl." + std::string(row.name))] = row.kind;
    return result;
  }();
  auto found = table.find(&op);
  return found == table.end() ? nullptr : &found->second;
}

template <class T>
std::optional<bool> compare(Kind kind, T a, T b) {
  switch (kind) {
    case Kind::Eq:
      return a == b;
    case Kind::Ne:
      return a != b;
    case Kind::Lt:
      return a < b;
    case Kind::Le:
      return a <= b;
    case Kind::Gt:
      return a > b;
    case Kind::Ge:
      return a >= b;
    default:
      return std::nullopt;
  }
}

// `dtype` is the one the operands widen to.
ExprRef fold_integers(Kind kind, Wide a, Wide b, DType dtype, const Span& span) {
  if (auto answer = compare(kind, a, b)) return boolean(*answer, span);
  switch (kind) {
    case Kind::Add:
      return integer(a + b, dtype, span);
    case Kind::Sub:
      return integer(a - b, dtype, span);
    case Kind::Mul:
      return integer(a * b, dtype, span);
    case Kind::FloorDiv:
      return b == 0 ? nullptr : integer(floor_div(a, b), dtype, span);
    case Kind::Mod:
      return b == 0 ? nullptr : integer(a - floor_div(a, b) * b, dtype, span);
    case Kind::BitAnd:
      return integer(a & b, dtype, span);
    case Kind::BitOr:
      return integer(a | b, dtype, span);
    case Kind::BitXor:
      return integer(a ^ b, dtype, span);
    case Kind::Shl:
      return b < 0 || b >= bits(dtype) ? nullptr : integer(a * (static_cast<Wide>(1) << b), dtype, span);
    case Kind::Shr:
      return b < 0 || b >= bits(dtype) ? nullptr : integer(a >> b, dtype, span);
    case Kind::Min:
      return integer(std::min(a, b), dtype, span);
    case Kind::Max:
      return integer(std::max(a, b), dtype, span);
    default:
      return nullptr;
  }
}

ExprRef fold_floats(Kind kind, float a, float b, DType dtype, const Span& span) {
  if (auto answer = compare(kind, a, b)) return boolean(*answer, span);
  switch (kind) {
    case Kind::Add:
      return real(a + b, dtype, span);
    case Kind::Sub:
      return real(a - b, dtype, span);
    case Kind::Mul:
      return real(a * b, dtype, span);
    case Kind::TrueDiv:
      return b == 0 ? nullptr : real(a / b, dtype, span);
    default:
      return nullptr;
  }
}

ExprRef fold_bools(Kind kind, bool a, bool b, const Span& span) {
  switch (kind) {
    case Kind::And:
    case Kind::BitAnd:
      return boolean(a && b, span);
    case Kind::Or:
    case Kind::BitOr:
      return boolean(a || b, span);
    case Kind::BitXor:
    case Kind::Ne:
      return boolean(a != b, span);
    case Kind::Eq:
      return boolean(a == b, span);
    default:
      return nullptr;
  }
}

// One side is known.
ExprRef bool_identity(Kind kind, bool known, const ExprRef& other, const Span& span) {
  if (kind == Kind::And || kind == Kind::BitAnd) return known ? other : boolean(false, span);
  if (kind == Kind::Or || kind == Kind::BitOr) return known ? boolean(true, span) : other;
  return nullptr;
}

ExprRef fold_one(Kind kind, const ExprRef& x, DType dtype, const Span& span) {
  if (const auto* value = as<ConstBool>(x)) {
    return kind == Kind::Not || kind == Kind::BitNot ? boolean(!value->value, span) : nullptr;
  }
  if (const auto* value = as<ConstFloat>(x)) {
    if (kind == Kind::Neg) return real(-static_cast<float>(value->value), dtype, span);
    if (kind == Kind::Abs) return real(std::fabs(static_cast<float>(value->value)), dtype, span);
    return nullptr;
  }
  auto value = constant_value(x);
  if (!value) return nullptr;
  if (kind == Kind::Neg) return integer(-static_cast<Wide>(*value), dtype, span);
  if (kind == Kind::Abs) return integer(*value < 0 ? -static_cast<Wide>(*value) : *value, dtype, span);
  if (kind == Kind::BitNot) return integer(~static_cast<Wide>(*value), dtype, span);
  return nullptr;
}

// Only between integers, and only what fits: the rest rounds, or stops the run.
ExprRef fold_cast(const Call& call, DType to) {
  const ExprRef& x = call.args[0];
  if (scalar_dtype(x->type) == to) return x;
  auto value = constant_value(x);
  if (!value || !is_integer(to) || !fits(*value, to)) return nullptr;
  return make<ConstInt>(call.span, *value, to);
}

ExprRef fold_dim(const Call& call) {
  const AttrValue* attr = find_attr(call.attrs, "i");
  const auto* tensor = as<TensorType>(call.args[0]->type);
  const auto* tile = as<TileType>(call.args[0]->type);
  const ExprList& shape = tensor ? tensor->shape : tile->shape;
  int64_t i = *attr->get<int64_t>();
  if (i < 0) i += static_cast<int64_t>(shape.size());
  auto extent = constant_value(shape[i]);
  return extent ? ExprRef(const_index(*extent, call.span)) : nullptr;
}

// `x + 0` and the like: the operand itself, where it has the dtype of the result.
ExprRef identity(Kind kind, const Call& call, DType dtype) {
  const ExprRef &a = call.args[0], &b = call.args[1];
  auto x = constant_value(a), y = constant_value(b);
  auto is = [&](const ExprRef& operand) { return scalar_dtype(operand->type) == dtype ? operand : nullptr; };
  bool same = a == b && isa<Var>(a);
  switch (kind) {
    case Kind::Add:
      return y == 0 ? is(a) : x == 0 ? is(b) : nullptr;
    case Kind::Sub:
      return y == 0 ? is(a) : same ? ExprRef(integer(0, dtype, call.span)) : nullptr;
    case Kind::Mul:
      if (x == 0 || y == 0) return integer(0, dtype, call.span);
      return y == 1 ? is(a) : x == 1 ? is(b) : nullptr;
    case Kind::FloorDiv:
      return y == 1 ? is(a) : nullptr;
    case Kind::Mod:
      return y == 1 ? integer(0, dtype, call.span) : nullptr;
    case Kind::Min:
    case Kind::Max:
      return same ? is(a) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

ExprRef fold_scalar(const Call& call) {
  const Kind* kind = kind_of_op(*call.op);
  auto result = scalar_dtype(call.type);
  if (!kind || !result) return nullptr;
  if (*kind == Kind::Dim) return fold_dim(call);
  if (*kind == Kind::Cast) return fold_cast(call, *result);
  if (call.args.size() == 1) return fold_one(*kind, call.args[0], *result, call.span);
  const ExprRef &a = call.args[0], &b = call.args[1];
  const auto *x = as<ConstBool>(a), *y = as<ConstBool>(b);
  if (x && y) return fold_bools(*kind, x->value, y->value, call.span);
  const auto *p = as<ConstFloat>(a), *q = as<ConstFloat>(b);
  if (p && q) {
    return fold_floats(*kind, static_cast<float>(p->value), static_cast<float>(q->value), *result, call.span);
  }
  if (x || y) return bool_identity(*kind, x ? x->value : y->value, x ? b : a, call.span);
  auto m = constant_value(a), n = constant_value(b);
  if (m && n) return fold_integers(*kind, *m, *n, *result, call.span);
  return is_integer(*result) ? identity(*kind, call, *result) : nullptr;
}

}  // namespace tilewire::passes
