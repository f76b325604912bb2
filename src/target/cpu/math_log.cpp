// log. x = 2^e m with m in [3/4, 3/2); log m = f - f^2/2 + f^3 p(f) with f = m - 1, which is exact, so that
// the result near 1 is as good as everywhere else.
#include <llvm/IR/IntrinsicsX86.h>

#include "target/cpu/math.h"
#include "target/cpu/vector.h"

namespace tilewire::target::cpu {

using llvm::Value;
using llvm::Intrinsic::ID;

namespace {

struct Split {
  Value* e;  // as a float
  Value* m;
};

// By integer arithmetic on the bits; x is positive and finite.
Split split(const Lanes& v, Value* x) {
  auto& b = v.b();
  Value* denormal = b.CreateFCmpOLT(x, v.f(0x1p-126));
  Value* bits = v.as_int(b.CreateSelect(denormal, b.CreateFMul(x, v.f(0x1p23)), x));
  constexpr int32_t lowest = 0x3f400000;  // 3/4
  Value* above = b.CreateSub(bits, v.i(lowest));
  Value* exponent = b.CreateAShr(above, v.i(23));
  exponent = b.CreateSelect(denormal, b.CreateSub(exponent, v.i(23)), exponent);
  Value* mantissa = b.CreateAdd(b.CreateAnd(above, v.i(0x7fffff)), v.i(lowest));
  return {b.CreateSIToFP(exponent, v.float_type()), v.as_float(mantissa)};
}

Value* log_of(const Lanes& v, const Split& x) {
  auto& b = v.b();
  Value* f = b.CreateFSub(x.m, v.f(1));
  Value* square = b.CreateFMul(f, f);
  Value* p = v.polynomial(f, {0x1.55555ap-2, -0x1.00006ep-2, 0x1.99976ap-3, -0x1.5519d2p-3, 0x1.2462b0p-3,
                              -0x1.04ac32p-3, 0x1.df2b6ap-4, -0x1.752f5ap-4, 0x1.3457e2p-5});
  // The smallest terms first; e times the high part of ln 2 is exact.
  Value* small = v.mul_add(x.e, v.f(0x1.7f7d1cp-20), b.CreateFMul(b.CreateFMul(square, f), p));
  small = v.mul_sub(square, v.f(0.5), small);
  return v.mul_add(x.e, v.f(0x1.62e4p-1), b.CreateFAdd(small, f));
}

struct SplitInstructions {
  ID exponent = llvm::Intrinsic::not_intrinsic;
  ID mantissa = llvm::Intrinsic::not_intrinsic;
  bool rounding = false;  // whether they take a rounding mode
};

SplitInstructions split_instructions(const Lanes& v) {
  using namespace llvm::Intrinsic;
  const Machine& m = v.machine();
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(v.float_type());
  unsigned lanes = vector ? vector->getNumElements() : 0;
  if (m.avx512f && lanes == 16) return {x86_avx512_mask_getexp_ps_512, x86_avx512_mask_getmant_ps_512, true};
  if (m.avx512vl && lanes == 8) return {x86_avx512_mask_getexp_ps_256, x86_avx512_mask_getmant_ps_256};
  if (m.avx512vl && lanes == 4) return {x86_avx512_mask_getexp_ps_128, x86_avx512_mask_getmant_ps_128};
  return {};
}

// The same split for every x: 0 has exponent -infinity, infinity has infinity, of a negative number m is NaN.
Split split(const Lanes& v, const SplitInstructions& by, Value* x) {
  auto& b = v.b();
  constexpr int current_rounding = 4, three_quarters = 3, negative_is_nan = 8;
  Value* all = by.rounding ? b.getInt16(0xffff) : b.getInt8(0xff);
  auto call = [&](ID id, llvm::SmallVector<Value*> args) {
    if (by.rounding) args.push_back(b.getInt32(current_rounding));
    return b.CreateIntrinsic(id, {}, args);
  };
  Value* m = call(by.mantissa, {x, b.getInt32(three_quarters | negative_is_nan), x, all});
  // The exponent belongs to a mantissa in [1, 2); that of m says whether it was halved.
  return {b.CreateFSub(call(by.exponent, {x, x, all}), call(by.exponent, {m, m, all})), m};
}

}  // namespace

Value* emit_log(llvm::IRBuilderBase& b, const Machine& machine, Value* x) {
  Lanes v(b, machine, x->getType());
  if (SplitInstructions by = split_instructions(v); by.exponent) return log_of(v, split(v, by, x));
  Value* result = log_of(v, split(v, x));
  // Infinity and NaN are themselves; 0 gives -infinity, what is negative NaN.
  result = b.CreateSelect(b.CreateFCmpOLT(x, v.infinity()), result, x);
  result = b.CreateSelect(b.CreateFCmpOEQ(x, v.f(0)), b.CreateFNeg(v.infinity()), result);
  return b.CreateSelect(b.CreateFCmpOLT(x, v.f(0)), v.nan(), result);
}

}  // namespace tilewire::target::cpu
