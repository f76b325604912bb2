// sin and cos. |x| = n pi/2 + r + low with |r| <= pi/4; n mod 4 chooses between the polynomials of sine and
// cosine and the sign. With fused arithmetic the first step of the reduction is exact for |x| <= 2^20, the
// second rounds once and `low` is the third part; without, the reduction is done in FP64. Larger arguments
// are rare and left to libm.
#include "target/cpu/math.h"
#include "target/cpu/math_lanes.h"

namespace tilewire::target::cpu {

using llvm::Value;

namespace {

constexpr double largest = 0x1p20;

struct Angle {
  Value* quadrant;  // INT32, the low two bits count
  Value* r;
  Value* low;
};

Angle reduce_fused(const Lanes& v, Value* x) {
  auto& b = v.b();
  constexpr double magic = 0x1.8p23;
  Value* shifted = v.mul_add(x, v.f(0x1.45f306p-1), v.f(magic));
  Value* n = b.CreateFSub(shifted, v.f(magic));
  // pi/2 in three parts; the last two are negative.
  Value* first = v.mul_sub(n, v.f(0x1.921fb6p+0), x);
  Value* r = v.mul_add(n, v.f(0x1.777a5cp-25), first);
  return {v.as_int(shifted), r, b.CreateFMul(n, v.f(0x1.ee59dap-50))};
}

Angle reduce_double(const Lanes& v, Value* x) {
  auto& b = v.b();
  llvm::Type* wide = v.of(b.getDoubleTy());
  auto real = [&](double value) { return llvm::ConstantFP::get(wide, value); };
  Value* y = b.CreateFPExt(x, wide);
  Value* shifted = b.CreateFAdd(b.CreateFMul(y, real(0x1.45f306dc9c883p-1)), real(0x1.8p52));
  Value* n = b.CreateFSub(shifted, real(0x1.8p52));
  Value* rest = b.CreateFSub(y, b.CreateFMul(n, real(0x1.921fb544p+0)));
  rest = b.CreateFSub(rest, b.CreateFMul(n, real(0x1.0b4611a626331p-34)));
  Value* r = b.CreateFPTrunc(rest, v.float_type());
  Value* low = b.CreateFPTrunc(b.CreateFSub(rest, b.CreateFPExt(r, wide)), v.float_type());
  Value* bits = b.CreateBitCast(shifted, v.int_type(64));
  return {b.CreateTrunc(bits, v.int_type()), r, low};
}

Value* sine_of(const Lanes& v, const Angle& a, Value* square) {
  auto& b = v.b();
  Value* p = v.polynomial(square, {-0x1.555546p-3, 0x1.110776p-7, -0x1.9953p-13});
  return b.CreateFAdd(a.r, v.mul_add(b.CreateFMul(square, a.r), p, a.low));
}

Value* cosine_of(const Lanes& v, const Angle& a, Value* square) {
  auto& b = v.b();
  Value* p = v.polynomial(square, {0x1.55554ap-5, -0x1.6c0c2ap-10, 0x1.99e904p-16});
  Value* fourth = b.CreateFMul(square, square);
  Value* most = v.mul_sub(square, v.f(0.5), v.f(1));
  return b.CreateFAdd(most, v.mul_sub(a.r, a.low, b.CreateFMul(fourth, p)));
}

// sin(|x| + turns * pi/2), with the bits of `sign` turned over.
Value* sine(const Lanes& v, Value* x, int turns, Value* sign) {
  auto& b = v.b();
  Value* magnitude = v.magnitude(x);
  Angle a = v.machine().fma ? reduce_fused(v, magnitude) : reduce_double(v, magnitude);
  Value* square = b.CreateFMul(a.r, a.r);
  Value* quadrant = b.CreateAdd(a.quadrant, v.i(turns));
  Value* odd = b.CreateICmpNE(b.CreateAnd(quadrant, v.i(1)), v.i(0));
  Value* result = b.CreateSelect(odd, cosine_of(v, a, square), sine_of(v, a, square));
  Value* half_turn = b.CreateShl(b.CreateAnd(quadrant, v.i(2)), v.i(30));
  return v.with_sign(result, b.CreateXor(half_turn, sign));
}

Value* is_far(const Lanes& v, Value* x) {
  auto& b = v.b();
  Value* magnitude = v.magnitude(x);
  return b.CreateAnd(b.CreateFCmpOGT(magnitude, v.f(largest)), b.CreateFCmpOLT(magnitude, v.infinity()));
}

}  // namespace

Value* emit_sin(llvm::IRBuilderBase& builder, const Machine& machine, Value* x) {
  Lanes v(builder, machine, x->getType());
  return replace_rare_lanes(v, "sinf", is_far(v, x), {x}, sine(v, x, 0, v.sign_bit(x)));
}

Value* emit_cos(llvm::IRBuilderBase& builder, const Machine& machine, Value* x) {
  Lanes v(builder, machine, x->getType());
  return replace_rare_lanes(v, "cosf", is_far(v, x), {x}, sine(v, x, 1, v.i(0)));
}

}  // namespace tilewire::target::cpu
