#include "target/cpu/arithmetic.h"

#include <cmath>
#include <limits>

#include "target/cpu/math.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

bool is_signed(DType dtype) {
  return info(dtype).is_signed;
}

// INT4 lives in a byte: the low four bits count.
Value* Registers::round(DType dtype, Value* value) const {
  if (dtype == DType::Int4) return b.CreateAShr(b.CreateShl(value, 4), 4);
  if (is_float(dtype) && dtype != DType::FP32) return round_to(b, machine, dtype, value);
  return value;
}

namespace {

// NumPy's maximum and minimum: NaN wins. Of equal zeros the first operand is taken.
Value* pick_float(Registers& r, Value* a, Value* b, bool larger) {
  Value* take_a = larger ? r.b.CreateFCmpOGE(a, b) : r.b.CreateFCmpOLE(a, b);
  Value* nan_a = r.b.CreateFCmpUNO(a, a);
  return r.b.CreateSelect(r.b.CreateOr(take_a, nan_a), a, b);
}

Value* constant(Value* like, int64_t value) {
  return llvm::ConstantInt::get(like->getType(), static_cast<uint64_t>(value), true);
}

// Towards zero; 0 for a zero divisor; the smallest value divided by -1 wraps to itself.
Value* divide(Registers& r, DType dtype, Value* a, Value* b, bool remainder) {
  Value* zero = r.b.CreateICmpEQ(b, constant(b, 0));
  Value* special = zero;
  Value* minus_one = nullptr;
  if (is_signed(dtype)) {
    minus_one = r.b.CreateICmpEQ(b, constant(b, -1));
    special = r.b.CreateOr(zero, minus_one);
  }
  Value* safe = r.b.CreateSelect(special, constant(b, 1), b);
  Value* result;
  if (is_signed(dtype)) {
    result = remainder ? r.b.CreateSRem(a, safe) : r.b.CreateSDiv(a, safe);
    Value* other = remainder ? constant(a, 0) : r.b.CreateNeg(a);
    result = r.b.CreateSelect(minus_one, other, result);
  } else {
    result = remainder ? r.b.CreateURem(a, safe) : r.b.CreateUDiv(a, safe);
  }
  return r.b.CreateSelect(zero, constant(a, 0), result);
}

// Counts of the width and above shift everything out; negative ones count as such.
Value* shift(Registers& r, DType dtype, Value* a, Value* b, bool left) {
  int width = bits(dtype);
  Value* beyond = r.b.CreateICmpUGE(b, constant(b, width));
  Value* count = r.b.CreateSelect(beyond, constant(b, 0), b);
  Value* result;
  Value* out = constant(a, 0);
  if (left) {
    result = r.b.CreateShl(a, count);
  } else if (is_signed(dtype)) {
    result = r.b.CreateAShr(a, count);
    out = r.b.CreateAShr(a, constant(a, a->getType()->getScalarSizeInBits() - 1));
  } else {
    result = r.b.CreateLShr(a, count);
  }
  return r.b.CreateSelect(beyond, out, result);
}

Value* float_binary(Registers& r, Elementwise op, Value* a, Value* b) {
  switch (op) {
    case Elementwise::Add:
      return r.b.CreateFAdd(a, b);
    case Elementwise::Sub:
      return r.b.CreateFSub(a, b);
    case Elementwise::Mul:
      return r.b.CreateFMul(a, b);
    case Elementwise::Div:
      return r.b.CreateFDiv(a, b);
    case Elementwise::Rem:
      return emit_rem(r.b, r.machine, a, b);
    case Elementwise::Max:
      return pick_float(r, a, b, true);
    case Elementwise::Min:
      return pick_float(r, a, b, false);
    default:
      internal_error(__FILE__, __LINE__, "a bitwise op on floats");
  }
}

Value* int_binary(Registers& r, Elementwise op, DType dtype, Value* a, Value* b) {
  switch (op) {
    case Elementwise::Add:
      return r.b.CreateAdd(a, b);
    case Elementwise::Sub:
      return r.b.CreateSub(a, b);
    case Elementwise::Mul:
      return r.b.CreateMul(a, b);
    case Elementwise::Div:
      return divide(r, dtype, a, b, false);
    case Elementwise::Rem:
      return divide(r, dtype, a, b, true);
    case Elementwise::Max:
      return larger(r, dtype, a, b);
    case Elementwise::Min:
      return smaller(r, dtype, a, b);
    case Elementwise::And:
      return r.b.CreateAnd(a, b);
    case Elementwise::Or:
      return r.b.CreateOr(a, b);
    case Elementwise::Xor:
      return r.b.CreateXor(a, b);
    case Elementwise::Shl:
      return shift(r, dtype, a, b, true);
    case Elementwise::Shr:
      return shift(r, dtype, a, b, false);
    default:
      internal_error(__FILE__, __LINE__, "not an op of two integers");
  }
}

Value* float_unary(Registers& r, Elementwise op, Value* x) {
  Value* zero = llvm::ConstantFP::get(x->getType(), 0.0);
  switch (op) {
    case Elementwise::Neg:
      return r.b.CreateFNeg(x);
    case Elementwise::Abs:
      return r.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    case Elementwise::Relu:
      return r.b.CreateSelect(r.b.CreateFCmpOLT(x, zero), zero, x);
    case Elementwise::Recip:
      return emit_recip(r.b, r.machine, x);
    case Elementwise::Exp:
      return emit_exp(r.b, r.machine, x);
    case Elementwise::Log:
      return emit_log(r.b, r.machine, x);
    case Elementwise::Sqrt:
      return emit_sqrt(r.b, r.machine, x);
    case Elementwise::Rsqrt:
      return emit_rsqrt(r.b, r.machine, x);
    case Elementwise::Sin:
      return emit_sin(r.b, r.machine, x);
    case Elementwise::Cos:
      return emit_cos(r.b, r.machine, x);
    case Elementwise::Tanh:
      return emit_tanh(r.b, r.machine, x);
    case Elementwise::Sigmoid:
      return emit_sigmoid(r.b, r.machine, x);
    default:
      internal_error(__FILE__, __LINE__, "not a function of floats");
  }
}

Value* int_unary(Registers& r, Elementwise op, DType dtype, Value* x) {
  switch (op) {
    case Elementwise::Neg:
      return r.b.CreateNeg(x);
    case Elementwise::Not:
      return r.b.CreateNot(x);
    case Elementwise::Abs:
      if (!is_signed(dtype)) return x;
      return r.b.CreateSelect(r.b.CreateICmpSLT(x, constant(x, 0)), r.b.CreateNeg(x), x);
    case Elementwise::Relu:
      if (!is_signed(dtype)) return x;
      return r.b.CreateSelect(r.b.CreateICmpSLT(x, constant(x, 0)), constant(x, 0), x);
    default:
      internal_error(__FILE__, __LINE__, "a float function of integers");
  }
}

}  // namespace

Value* larger(Registers& r, DType dtype, Value* a, Value* b) {
  if (is_float(dtype)) return pick_float(r, a, b, true);
  Value* greater = is_signed(dtype) ? r.b.CreateICmpSGT(a, b) : r.b.CreateICmpUGT(a, b);
  return r.b.CreateSelect(greater, a, b);
}

Value* smaller(Registers& r, DType dtype, Value* a, Value* b) {
  if (is_float(dtype)) return pick_float(r, a, b, false);
  Value* less = is_signed(dtype) ? r.b.CreateICmpSLT(a, b) : r.b.CreateICmpULT(a, b);
  return r.b.CreateSelect(less, a, b);
}

Value* binary(Registers& r, Elementwise op, DType dtype, Value* a, Value* b) {
  a = r.splat(a);
  b = r.splat(b);
  if (!is_float(dtype)) return r.round(dtype, int_binary(r, op, dtype, a, b));
  Value* exact = float_binary(r, op, a, b);
  bool picks = op == Elementwise::Max || op == Elementwise::Min;
  return picks ? exact : r.round(dtype, exact);
}

Value* unary(Registers& r, Elementwise op, DType dtype, Value* x) {
  if (!is_float(dtype)) return r.round(dtype, int_unary(r, op, dtype, x));
  Value* exact = float_unary(r, op, x);
  bool keeps = op == Elementwise::Neg || op == Elementwise::Abs || op == Elementwise::Relu;
  return keeps ? exact : r.round(dtype, exact);
}

Value* compare(Registers& r, CmpOp op, DType dtype, Value* a, Value* b) {
  using P = llvm::CmpInst;
  a = r.splat(a);
  b = r.splat(b);
  static constexpr P::Predicate floats[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OLT,
                                            P::FCMP_OLE, P::FCMP_OGT, P::FCMP_OGE};
  static constexpr P::Predicate signeds[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_SLT,
                                             P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
  static constexpr P::Predicate unsigneds[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_ULT,
                                               P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
  size_t index = static_cast<size_t>(op);
  if (is_float(dtype)) return r.b.CreateFCmp(floats[index], a, b);
  return r.b.CreateICmp(is_signed(dtype) ? signeds[index] : unsigneds[index], a, b);
}

namespace {

llvm::Constant* float_limit(llvm::Type* type, DType dtype, bool high) {
  // E4M3FN has no infinity: its largest value replaces it.
  double limit = dtype == DType::FP8E4M3FN ? 448.0 : std::numeric_limits<double>::infinity();
  return llvm::ConstantFP::get(type, high ? limit : -limit);
}

}  // namespace

llvm::Constant* highest(llvm::Type* type, DType dtype) {
  if (is_float(dtype)) return float_limit(type, dtype, true);
  if (dtype == DType::Bool) return llvm::ConstantInt::get(type, 1);
  unsigned width = static_cast<unsigned>(bits(dtype));
  unsigned held = type->getScalarSizeInBits();
  llvm::APInt value =
      is_signed(dtype) ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
  return llvm::ConstantInt::get(type, is_signed(dtype) ? value.sext(held) : value.zext(held));
}

llvm::Constant* lowest(llvm::Type* type, DType dtype) {
  if (is_float(dtype)) return float_limit(type, dtype, false);
  if (!is_signed(dtype)) return llvm::ConstantInt::get(type, 0);
  unsigned width = static_cast<unsigned>(bits(dtype));
  return llvm::ConstantInt::get(type,
                                llvm::APInt::getSignedMinValue(width).sext(type->getScalarSizeInBits()));
}

}  // namespace tilewire::target::cpu
