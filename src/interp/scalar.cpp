// Scalars: the arithmetic of numeric/scalar.h, its faults as errors of the run, and casts.
#include "numeric/scalar.h"

#include "interp/op_table.h"
#include "ops/handles.h"
#include "ops/registry.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

[[noreturn]] void report(numeric::ScalarFault fault, Elementwise op, const Scalar& b) {
  switch (fault) {
    case numeric::ScalarFault::NegativePower:
      fail(diag::run_negative_power, {std::to_string(b.i)});
    case numeric::ScalarFault::NegativeShift:
      fail(diag::run_negative_shift, {op == Elementwise::Shl ? "<<" : ">>", std::to_string(b.i)});
    default:
      fail(diag::run_zero_divisor, {op == Elementwise::Mod ? "%" : "//"});
  }
}

void arithmetic(Context& c, int which) {
  const auto op = static_cast<Elementwise>(which);
  const Scalar& a = c.scalar(0);
  const Scalar& b = is_unary(op) ? a : c.scalar(1);
  if (!a.is_float()) {
    numeric::IntegerResult result = numeric::integer_result(op, a.dtype, a.i, b.i);
    if (result.fault != numeric::ScalarFault::None) report(result.fault, op, b);
    c.result = Scalar::of_int(is_comparison(op) ? DType::Bool : a.dtype, result.value);
  } else if (is_comparison(op)) {
    c.result = Scalar::of_bool(numeric::compare_floats(op, a.f, b.f));
  } else {
    c.result = Scalar::of_float(a.dtype, numeric::float_result(op, a.dtype, a.f, b.f));
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
  for (const Op& op : ops::registry().all()) {
    const bool scalar = op.form == OpForm::None && op.kind != Elementwise::None;
    if (scalar) entries.add(op, arithmetic, static_cast<int>(op.kind));
  }
  entries.add(ops::pl::scalar::cast, cast);
}

}  // namespace tilewire::interp
