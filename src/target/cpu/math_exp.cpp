// exp and what is made of it: sigmoid and tanh.
//
// x = n ln 2 + r with |r| <= ln 2 / 2, and e^x = 2^n e^r. n comes from adding 1.5 * 2^23, which leaves it in
// the low mantissa bits: no conversion to an integer, so nothing is undefined for NaN. The polynomial is
// e^r = 1 + r + r^2 q(r), q minimax on that interval with FP32 coefficients.
#include <llvm/IR/IntrinsicsX86.h>

#include "target/cpu/math.h"
#include "target/cpu/vector.h"

namespace tilewire::target::cpu {

using llvm::Value;

namespace {

constexpr double magic = 0x1.8p23;
constexpr double log2_e = 0x1.715476p+0;
// 15 bits, so that n times it is exact, and the rest.
constexpr double ln2_high = 0x1.62e4p-1;
constexpr double ln2_low = 0x1.7f7d1cp-20;

struct Reduced {
  Value* n;     // as a float
  Value* bits;  // n in the low bits
  Value* r;
  Value* tail;  // r^2 q(r): e^r - 1 - r
};

// x must be NaN or in [-150, 150].
Reduced reduce(const Lanes& v, Value* x) {
  auto& b = v.b();
  Value* shifted = v.mul_add(x, v.f(log2_e), v.f(magic));
  Value* n = b.CreateFSub(shifted, v.f(magic));
  Value* r = v.mul_sub(n, v.f(ln2_low), v.mul_sub(n, v.f(ln2_high), x));
  Value* q = v.polynomial(r, {0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558aep-5, 0x1.123982p-7, 0x1.6a4ef0p-10});
  return {n, v.as_int(shifted), r, b.CreateFMul(b.CreateFMul(r, r), q)};
}

// 2^n for a float n in its low bits that gives a normal number.
Value* power_of_two(const Lanes& v, Value* n) {
  auto& b = v.b();
  return v.as_float(b.CreateShl(b.CreateAdd(n, v.i(127)), v.i(23)));
}

llvm::Intrinsic::ID scale_intrinsic(const Lanes& v) {
  const Machine& m = v.machine();
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(v.float_type());
  unsigned lanes = vector ? vector->getNumElements() : 0;
  if (m.avx512f && lanes == 16) return llvm::Intrinsic::x86_avx512_mask_scalef_ps_512;
  if (m.avx512vl && lanes == 8) return llvm::Intrinsic::x86_avx512_mask_scalef_ps_256;
  if (m.avx512vl && lanes == 4) return llvm::Intrinsic::x86_avx512_mask_scalef_ps_128;
  return llvm::Intrinsic::not_intrinsic;
}

// x * 2^n with one rounding; |n| up to 252, x near 1.
Value* scale(const Lanes& v, Value* x, const Reduced& by) {
  auto& b = v.b();
  if (auto id = scale_intrinsic(v)) {
    Value* all = id == llvm::Intrinsic::x86_avx512_mask_scalef_ps_512 ? b.getInt16(0xffff) : b.getInt8(0xff);
    llvm::SmallVector<Value*> args = {x, by.n, x, all};
    constexpr int current_rounding = 4;
    if (id == llvm::Intrinsic::x86_avx512_mask_scalef_ps_512) args.push_back(b.getInt32(current_rounding));
    return b.CreateIntrinsic(id, {}, args);
  }
  // In two steps: the first is exact, the second rounds into the denormals or to infinity.
  Value* n = b.CreateSub(by.bits, v.as_int(v.f(magic)));
  Value* half = b.CreateAShr(n, v.i(1));
  Value* most = b.CreateFMul(x, power_of_two(v, half));
  return b.CreateFMul(most, power_of_two(v, b.CreateSub(n, half)));
}

// NaN stays NaN.
Value* at_least(const Lanes& v, Value* x, double low) {
  return v.b().CreateSelect(v.b().CreateFCmpOLT(x, v.f(low)), v.f(low), x);
}
Value* at_most(const Lanes& v, Value* x, double high) {
  return v.b().CreateSelect(v.b().CreateFCmpOGT(x, v.f(high)), v.f(high), x);
}

// x <= 89, above which the result is infinite anyway.
Value* exp_of(const Lanes& v, Value* x) {
  auto& b = v.b();
  // e^-104 rounds to 0, e^89 to infinity.
  Reduced e = reduce(v, at_least(v, x, -104));
  return scale(v, b.CreateFAdd(b.CreateFAdd(e.r, e.tail), v.f(1)), e);
}

}  // namespace

Value* emit_exp(llvm::IRBuilderBase& builder, const Machine& machine, Value* x) {
  Lanes v(builder, machine, x->getType());
  return exp_of(v, at_most(v, x, 89));
}

// Of -|x|, so that nothing overflows: 1 / (1 + e) or e / (1 + e).
Value* emit_sigmoid(llvm::IRBuilderBase& b, const Machine& machine, Value* x) {
  Lanes v(b, machine, x->getType());
  Value* e = exp_of(v, b.CreateFNeg(v.magnitude(x)));
  Value* above = b.CreateSelect(b.CreateFCmpOLT(x, v.f(0)), e, v.f(1));
  Value* below = b.CreateFAdd(v.f(1), e);
  // The sum lost `lost`, exactly; one correction of the quotient puts it back.
  Value* lost = b.CreateFSub(e, b.CreateFSub(below, v.f(1)));
  Value* inverse = b.CreateFDiv(v.f(1), below);
  if (!machine.fma) {
    Value* rounded = b.CreateFDiv(above, below);
    return b.CreateFSub(rounded, b.CreateFMul(b.CreateFMul(rounded, lost), inverse));
  }
  Value* quotient = b.CreateFMul(above, inverse);
  Value* rest = v.mul_sub(quotient, lost, v.mul_sub(quotient, below, above));
  return v.mul_add(rest, inverse, quotient);
}

// Below 0.55 a polynomial of its own, above 1 - 2 e / (1 + e) with e = e^(-2|x|), where the errors of the
// quotient are small beside the 1.
Value* emit_tanh(llvm::IRBuilderBase& b, const Machine& machine, Value* x) {
  Lanes v(b, machine, x->getType());
  Value* magnitude = v.magnitude(x);
  // From 9.02 on the result is 1.
  Reduced r = reduce(v, b.CreateFMul(at_most(v, magnitude, 10), v.f(-2)));
  Value* power = power_of_two(v, b.CreateSub(r.bits, v.as_int(v.f(magic))));
  Value* e = v.mul_add(power, b.CreateFAdd(r.r, r.tail), power);
  Value* large = b.CreateFSub(v.f(1), b.CreateFDiv(b.CreateFAdd(e, e), b.CreateFAdd(e, v.f(1))));
  Value* square = b.CreateFMul(magnitude, magnitude);
  Value* p =
      v.polynomial(square, {-0x1.55554ap-2, 0x1.110ceep-3, -0x1.b91e7ep-5, 0x1.58e518p-6, -0x1.9921a0p-8});
  Value* small = v.mul_add(b.CreateFMul(square, magnitude), p, magnitude);
  Value* result = b.CreateSelect(b.CreateFCmpOLT(magnitude, v.f(0.55)), small, large);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
}

}  // namespace tilewire::target::cpu
