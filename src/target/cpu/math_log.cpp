// log. x = 2^e m with m in [sqrt(1/2), sqrt(2)); log m = f - f^2/2 + f^3 p(f) with f = m - 1, which is exact,
// so that the result near 1 is as good as everywhere else.
#include "target/cpu/math.h"
#include "target/cpu/vector.h"

namespace tilewire::target::cpu {

using llvm::Value;

Value* emit_log(llvm::IRBuilderBase& b, const Machine& machine, Value* x) {
  Lanes v(b, machine, x->getType());
  Value* denormal = b.CreateFCmpOLT(x, v.f(0x1p-126));
  Value* bits = v.as_int(b.CreateSelect(denormal, b.CreateFMul(x, v.f(0x1p23)), x));
  constexpr int32_t root_half = 0x3f3504f3;  // sqrt(1/2)
  Value* from_root = b.CreateSub(bits, v.i(root_half));
  Value* exponent = b.CreateAShr(from_root, v.i(23));
  exponent = b.CreateSelect(denormal, b.CreateSub(exponent, v.i(23)), exponent);
  Value* e = b.CreateSIToFP(exponent, v.float_type());
  Value* mantissa = b.CreateAdd(b.CreateAnd(from_root, v.i(0x7fffff)), v.i(root_half));
  Value* f = b.CreateFSub(v.as_float(mantissa), v.f(1));
  Value* square = b.CreateFMul(f, f);
  Value* p = v.polynomial(f, {0x1.555548p-2, -0x1.000006p-2, 0x1.99a476p-3, -0x1.555c3ep-3, 0x1.233b98p-3,
                              -0x1.fc2a0ep-4, 0x1.e6c272p-4, -0x1.ddf980p-4, 0x1.14618ap-4});
  // The smallest terms first; e times the high part of ln 2 is exact.
  Value* small = v.mul_add(e, v.f(0x1.7f7d1cp-20), b.CreateFMul(b.CreateFMul(square, f), p));
  small = v.mul_sub(square, v.f(0.5), small);
  Value* result = b.CreateFAdd(small, f);
  result = v.mul_add(e, v.f(0x1.62e4p-1), result);
  // Infinity and NaN are themselves; 0 gives -infinity, what is negative NaN.
  result = b.CreateSelect(b.CreateFCmpOLT(x, v.infinity()), result, x);
  result = b.CreateSelect(b.CreateFCmpOEQ(x, v.f(0)), b.CreateFNeg(v.infinity()), result);
  return b.CreateSelect(b.CreateFCmpOLT(x, v.f(0)), v.nan(), result);
}

}  // namespace tilewire::target::cpu
