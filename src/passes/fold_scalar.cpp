#include "passes/fold_scalar.h"

#include <cmath>
#include <unordered_map>

#include "ir/op.h"
#include "numeric/scalar.h"
#include "ops/handles.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// --- constants

// Null if there is no constant: the upper half of UINT64.
ExprRef integer(int64_t value, DType dtype, const Span& span) {
  if (dtype == DType::Bool) return make<ConstBool>(span, value != 0);
  return fits(value, dtype) ? ExprRef(make<ConstInt>(span, value, dtype)) : nullptr;
}

// Null for infinities and NaN, which have no literal.
ExprRef real(double value, DType dtype, const Span& span) {
  return std::isfinite(value) ? ExprRef(make<ConstFloat>(span, value, dtype)) : nullptr;
}

std::optional<int64_t> integer_or_bool(const ExprRef& x) {
  if (const auto* value = as<ConstBool>(x)) return value->value;
  return constant_value(x);
}

// --- operations

// `b` is null for unary ops.
ExprRef fold_integers(Elementwise op, const ExprRef& a, const ExprRef& b, DType result, const Span& span) {
  auto x = integer_or_bool(a), y = b ? integer_or_bool(b) : 0;
  if (!x || !y) return nullptr;
  // What the operands widen to; for comparisons any that holds both will do.
  DType dtype = !is_comparison(op) ? result : DType::Int64;
  numeric::IntegerResult value = numeric::integer_result(op, dtype, *x, *y);
  return value.fault == numeric::ScalarFault::None ? integer(value.value, result, span) : nullptr;
}

ExprRef fold_floats(Elementwise op, const ExprRef& a, const ExprRef& b, DType result, const Span& span) {
  const auto *x = as<ConstFloat>(a), *y = b ? as<ConstFloat>(b) : x;
  if (!x || !y) return nullptr;
  if (is_comparison(op)) {
    return integer(numeric::compare_floats(op, x->value, y->value), DType::Bool, span);
  }
  return real(numeric::float_result(op, result, x->value, y->value), result, span);
}

// One side is known.
ExprRef bool_identity(Elementwise op, const ConstBool& known, const ExprRef& other) {
  if (op == Elementwise::And) return known.value ? other : ExprRef(&known);
  if (op == Elementwise::Or) return known.value ? ExprRef(&known) : other;
  return nullptr;
}

// Only between integers, and only if it fits: the rest rounds, or stops the run.
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
ExprRef identity(Elementwise op, const Call& call, DType dtype) {
  const ExprRef &a = call.args[0], &b = call.args[1];
  auto x = constant_value(a), y = constant_value(b);
  auto is = [&](const ExprRef& operand) { return scalar_dtype(operand->type) == dtype ? operand : nullptr; };
  bool same = a == b && isa<Var>(a);
  switch (op) {
    case Elementwise::Add:
      return y == 0 ? is(a) : x == 0 ? is(b) : nullptr;
    case Elementwise::Sub:
      return y == 0 ? is(a) : same ? ExprRef(integer(0, dtype, call.span)) : nullptr;
    case Elementwise::Mul:
      if (x == 0 || y == 0) return integer(0, dtype, call.span);
      return y == 1 ? is(a) : x == 1 ? is(b) : nullptr;
    case Elementwise::FloorDiv:
      return y == 1 ? is(a) : nullptr;
    case Elementwise::Mod:
      return y == 1 ? integer(0, dtype, call.span) : nullptr;
    case Elementwise::Min:
    case Elementwise::Max:
      return same ? is(a) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

ExprRef fold_scalar(const Call& call) {
  auto result = scalar_dtype(call.type);
  if (!result) return nullptr;
  if (call.op == ops::pl::scalar::cast) return fold_cast(call, *result);
  if (call.op == ops::pl::tensor::dim || call.op == ops::pl::tile::dim) return fold_dim(call);
  const Elementwise op = call.op->kind;
  if (op == Elementwise::None) return nullptr;
  const ExprRef a = call.args[0], b = call.args.size() > 1 ? call.args[1] : nullptr;
  if (ExprRef folded = fold_integers(op, a, b, *result, call.span)) return folded;
  if (ExprRef folded = fold_floats(op, a, b, *result, call.span)) return folded;
  if (!b) return nullptr;
  if (const auto* known = as<ConstBool>(a)) return bool_identity(op, *known, b);
  if (const auto* known = as<ConstBool>(b)) return bool_identity(op, *known, a);
  return is_integer(*result) ? identity(op, call, *result) : nullptr;
}

}  // namespace tilewire::passes
