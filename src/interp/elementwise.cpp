// Ops that work element by element, and the arithmetic they share with the fused broadcasts.
//
// Floats: FP16, BF16 and FP8 are computed in FP32, and the result of every op is rounded to its dtype. exp,
// log, rsqrt, sin, cos, tanh and sigmoid are computed in FP64 and rounded once. maximum and minimum give NaN
// when an operand is NaN, and `a` when the operands are equal; relu leaves NaN and -0 alone.
// Integers wrap. div and rem round towards zero, and give 0 for a zero divisor. A shift takes its count as an
// unsigned number: past the width, shl gives 0 and shr what the sign fills.
#include "interp/elementwise.h"

#include <cmath>

#include "interp/op_table.h"
#include "numeric/numeric.h"
#include "ops/handles.h"
#include "ops/registry.h"

namespace tilewire::interp {
namespace {

using namespace ir;

DType dtype_of(const Value& value) {
  if (const Tile* tile = value.tile()) return tile->dtype;
  if (const Tensor* tensor = value.tensor()) return tensor->dtype;
  return value.scalar()->dtype;
}

// What the valid extents of tiles have in common; the shape of tensors, which must agree.
Dims common_extents(const Context& c, std::initializer_list<size_t> operands) {
  Dims extents;
  for (size_t operand : operands) {
    const Value& value = c.value(operand);
    if (value.scalar()) continue;
    View view = c.view(operand);
    if (extents.empty()) {
      extents = view.shape;
    } else if (value.tile()) {
      for (size_t i = 0; i < 2; ++i) extents[i] = std::min(extents[i], view.shape[i]);
    } else {
      check_equal_extents(c, extents, view.shape);
    }
  }
  return extents;
}

template <class T>
Lanes<T> operand_lanes(const Context& c, size_t operand, const Dims& extents) {
  const Value& value = c.value(operand);
  if (const Scalar* scalar = value.scalar()) {
    T one;
    if constexpr (std::is_same_v<T, float>) {
      one = static_cast<float>(scalar->f);
    } else {
      one = scalar->i;
    }
    return Lanes<T>(static_cast<size_t>(element_count(extents)), one);
  }
  View view = c.view(operand);
  view.shape = extents;
  return lanes<T>(view);
}

void binary(Context& c, int which) {
  Dims extents = common_extents(c, {0, 1});
  auto op = static_cast<Elementwise>(which);
  DType dtype = dtype_of(c.value(0));
  if (is_float(dtype)) {
    auto a = operand_lanes<float>(c, 0, extents);
    apply(op, a, operand_lanes<float>(c, 1, extents));
    c.result = fresh_value(c, extents, a);
  } else {
    auto a = operand_lanes<int64_t>(c, 0, extents);
    apply(op, dtype, a, operand_lanes<int64_t>(c, 1, extents));
    c.result = fresh_value(c, extents, a);
  }
}

template <class T>
bool holds(CmpOp op, T a, T b) {
  switch (op) {
    case CmpOp::Eq:
      return a == b;
    case CmpOp::Ne:
      return a != b;
    case CmpOp::Lt:
      return a < b;
    case CmpOp::Le:
      return a <= b;
    case CmpOp::Gt:
      return a > b;
    case CmpOp::Ge:
      return a >= b;
  }
  return false;
}

void cmp(Context& c, int) {
  Dims extents = common_extents(c, {0, 1});
  auto op = c.enum_attr<CmpOp>("op");
  DType dtype = dtype_of(c.value(0));
  Lanes<int64_t> out(static_cast<size_t>(element_count(extents)));
  if (is_float(dtype)) {
    auto a = operand_lanes<float>(c, 0, extents), b = operand_lanes<float>(c, 1, extents);
    for (size_t i = 0; i < out.size(); ++i) out[i] = holds(op, a[i], b[i]);
  } else {
    auto a = operand_lanes<int64_t>(c, 0, extents), b = operand_lanes<int64_t>(c, 1, extents);
    bool is_unsigned = dtype == DType::UInt64;
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = is_unsigned ? holds(op, static_cast<uint64_t>(a[i]), static_cast<uint64_t>(b[i]))
                           : holds(op, a[i], b[i]);
    }
  }
  c.result = fresh_value(c, extents, out);
}

void sel(Context& c, int) {
  Dims extents = common_extents(c, {0, 1, 2});
  auto mask = operand_lanes<int64_t>(c, 0, extents);
  auto choose = [&](auto a, const auto& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!mask[i]) a[i] = b[i];
    }
    c.result = fresh_value(c, extents, a);
  };
  if (is_float(dtype_of(c.value(1)))) {
    choose(operand_lanes<float>(c, 1, extents), operand_lanes<float>(c, 2, extents));
  } else {
    choose(operand_lanes<int64_t>(c, 1, extents), operand_lanes<int64_t>(c, 2, extents));
  }
}

void cast(Context& c, int) {
  View from = c.view(0);
  Fresh fresh(c, c.call.type, from.shape);
  std::vector<std::byte> source = dense(from);
  const auto count = static_cast<size_t>(element_count(from.shape));
  std::vector<std::byte> target(count * static_cast<size_t>(ir::bytes(fresh.dtype())));
  numeric::cast(from.dtype, source.data(), fresh.dtype(), target.data(), count,
                c.enum_attr<RoundMode>("mode"));
  fresh.fill_dense(target);
  c.result = std::move(fresh).value();
}

// --- unary

bool is_simple(Elementwise op) {
  using enum Elementwise;
  return op == Neg || op == Abs || op == Recip || op == Sqrt || op == Relu;
}

// In FP32: exact, or rounded as division and square root are.
float simple(Elementwise op, float x) {
  switch (op) {
    case Elementwise::Neg:
      return -x;
    case Elementwise::Abs:
      return std::fabs(x);
    case Elementwise::Recip:
      return 1.0f / x;
    case Elementwise::Sqrt:
      return std::sqrt(x);
    default:
      return x < 0 ? 0.0f : x;  // relu
  }
}

double math(Elementwise op, double x) {
  switch (op) {
    case Elementwise::Exp:
      return std::exp(x);
    case Elementwise::Log:
      return std::log(x);
    case Elementwise::Rsqrt:
      return 1.0 / std::sqrt(x);
    case Elementwise::Sin:
      return std::sin(x);
    case Elementwise::Cos:
      return std::cos(x);
    case Elementwise::Tanh:
      return std::tanh(x);
    default:
      return 1.0 / (1.0 + std::exp(-x));  // sigmoid
  }
}

int64_t integer(Elementwise op, DType dtype, int64_t x) {
  const auto negative = static_cast<int64_t>(-static_cast<uint64_t>(x));
  const bool below = info(dtype).is_signed && x < 0;
  switch (op) {
    case Elementwise::Neg:
      return negative;
    case Elementwise::Abs:
      return below ? negative : x;
    case Elementwise::Relu:
      return below ? 0 : x;
    default:
      return dtype == DType::Bool ? !x : ~x;
  }
}

void unary(Context& c, int which) {
  auto op = static_cast<Elementwise>(which);
  View from = c.view(0);
  if (!is_float(from.dtype)) {
    auto x = lanes<int64_t>(from);
    for (int64_t& v : x) v = integer(op, from.dtype, v);
    c.result = fresh_value(c, from.shape, x);
    return;
  }
  auto x = lanes<float>(from);
  if (is_simple(op)) {
    for (float& v : x) v = simple(op, v);
    c.result = fresh_value(c, from.shape, x);
    return;
  }
  Lanes<double> out(x.size());
  for (size_t i = 0; i < x.size(); ++i) out[i] = math(op, x[i]);
  c.result = fresh_value(c, from.shape, out);
}

template <class T, class F>
void zip(Lanes<T>& a, const Lanes<T>& b, F f) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = f(a[i], b[i]);
}

}  // namespace

void apply(Elementwise op, Lanes<float>& a, const Lanes<float>& b) {
  zip(a, b, [op](float x, float y) { return combine(op, x, y); });
}

void apply(Elementwise op, DType dtype, Lanes<int64_t>& a, const Lanes<int64_t>& b) {
  zip(a, b, [op, dtype](int64_t x, int64_t y) { return combine(op, dtype, x, y); });
}

void add_elementwise(OpEntries& entries) {
  for (const Op& op : ops::registry().all()) {
    if (op.form != OpForm::Map || op.kind == Elementwise::None) continue;
    entries.add(op, is_unary(op.kind) ? unary : binary, static_cast<int>(op.kind));
  }
  entries.add_both(ops::pl::tile::cmp, cmp);
  entries.add_both(ops::pl::tile::sel, sel);
  entries.add_both(ops::pl::tile::cast, cast);
}

}  // namespace tilewire::interp
