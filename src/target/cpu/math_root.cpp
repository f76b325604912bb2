// Roots, reciprocals and the remainder: what the processor divides.
#include <llvm/IR/Intrinsics.h>

#include "ir/enums.h"
#include "target/cpu/convert.h"
#include "target/cpu/math.h"
#include "target/cpu/math_lanes.h"

namespace tilewire::target::cpu {

using llvm::Value;

Value* emit_sqrt(llvm::IRBuilderBase& builder, const Machine& machine, Value* x) {
  Lanes v(builder, machine, x->getType());
  return v.intrinsic(llvm::Intrinsic::sqrt, x);
}

Value* emit_recip(llvm::IRBuilderBase& builder, const Machine& machine, Value* x) {
  Lanes v(builder, machine, x->getType());
  return builder.CreateFDiv(v.f(1), x);
}

Value* emit_rsqrt(llvm::IRBuilderBase& builder, const Machine& machine, Value* x) {
  Lanes v(builder, machine, x->getType());
  return builder.CreateFDiv(v.f(1), v.intrinsic(llvm::Intrinsic::sqrt, x));
}

namespace {

// a - n b, exactly: n has at most 23 bits and the result fits FP32.
Value* exact_rest(const Lanes& v, Value* a, Value* n, Value* divisor) {
  auto& b = v.b();
  if (v.machine().fma) return v.mul_sub(n, divisor, a);
  llvm::Type* wide = v.of(b.getDoubleTy());
  Value* product = b.CreateFMul(b.CreateFPExt(n, wide), b.CreateFPExt(divisor, wide));
  return b.CreateFPTrunc(b.CreateFSub(b.CreateFPExt(a, wide), product), v.float_type());
}

}  // namespace

Value* emit_rem(llvm::IRBuilderBase& b, const Machine& machine, Value* a, Value* divisor) {
  Lanes v(b, machine, a->getType());
  Value* size = v.magnitude(a);
  Value* step = v.magnitude(divisor);
  Value* quotient = b.CreateFDiv(size, step);
  Value* n = round_integral(b, machine, quotient, ir::RoundMode::Trunc);
  Value* rest = exact_rest(v, size, n, step);
  // Rounded up, the quotient can be one too large.
  rest = b.CreateSelect(b.CreateFCmpOLT(rest, v.f(0)), b.CreateFAdd(rest, step), rest);
  rest = b.CreateSelect(b.CreateFCmpOLT(size, step), size, rest);
  rest = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, rest, a);
  // Also where the quotient is NaN.
  Value* rare = b.CreateNot(b.CreateFCmpOLT(quotient, v.f(0x1p22)));
  return replace_rare_lanes(v, "fmodf", rare, {a, divisor}, rest);
}

}  // namespace tilewire::target::cpu
