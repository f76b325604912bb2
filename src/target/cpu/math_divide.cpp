// Division by one number, without the divider.
//
// With z = 1/d rounded and z' the rest of 1/d, q = x z + (x z' rounded), fused, is off by less than one last
// place; then the remainder x - q d is exact and q + (x - q d) z, fused, is the correctly rounded quotient
// (Markstein's theorem, which asks for a correctly rounded z and a q that close). This holds while nothing
// underflows or overflows on the way: for d in [2^-60, 2^60] and |x| in [2^-60, 2^60], and for x = 0.
// Anything else is divided the slow way, in a branch on whole vectors.
#include <llvm/IR/MDBuilder.h>

#include "support/diagnostics.h"
#include "target/cpu/math.h"
#include "target/cpu/vector.h"

namespace tilewire::target::cpu {

using llvm::BasicBlock;
using llvm::Value;

namespace {

constexpr uint32_t exponent(int e) {
  return static_cast<uint32_t>(e + 127) << 23;
}
constexpr uint32_t least = exponent(-60);
constexpr uint32_t span = exponent(60) - least;
// A NaN: the quotient is one whatever the divisor.
constexpr uint32_t some_nan = 0x7fffffff;

}  // namespace

// Elsewhere the divider is no slower than this, or comparing vectors is.
bool has_quick_division(const Machine& machine) {
  return machine.fma && machine.avx512vl;
}

Divisor make_divisor(llvm::IRBuilderBase& b, Value* value) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  llvm::Type* type = value->getType();
  Value* one = llvm::ConstantFP::get(type, 1.0);
  Value* high = b.CreateFDiv(one, value);
  Value* rest = b.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {b.CreateFNeg(value), high, one});
  Value* bits = b.CreateBitCast(value, b.getInt32Ty());
  Value* usual = b.CreateICmpULT(b.CreateSub(bits, b.getInt32(least)), b.getInt32(span));
  return {value, high, b.CreateFMul(rest, high), b.CreateSelect(usual, b.getInt32(2 * span), b.getInt32(0)),
          b.CreateSelect(usual, b.getInt32(0), b.getInt32(some_nan))};
}

Value* emit_divide(llvm::IRBuilderBase& b, const Machine& machine, Value* x, const Divisor& by) {
  Lanes v(b, machine, x->getType());
  unsigned lanes = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  auto all = [&](Value* scalar) { return b.CreateVectorSplat(lanes, scalar); };
  Value *divisor = all(by.value), *high = all(by.high);
  Value* near = v.mul_add(x, high, b.CreateFMul(x, all(by.low)));
  Value* quick = v.mul_add(v.mul_sub(near, divisor, x), high, near);
  // Twice the bits drops the sign.
  Value* bits = v.as_int(x);
  Value* above = b.CreateSub(b.CreateShl(bits, v.i(1)), v.i(static_cast<int64_t>(2 * least)));
  Value* rare = b.CreateAnd(b.CreateICmpUGE(above, all(by.range)), b.CreateICmpNE(bits, all(by.exception)));
  BasicBlock* block = b.GetInsertBlock();
  TW_CHECK(b.GetInsertPoint() == block->end() && !block->getTerminator(),
           "a division with a rare path is emitted at the end of a block");
  auto* slow = BasicBlock::Create(b.getContext(), "divide", block->getParent());
  auto* done = BasicBlock::Create(b.getContext(), "", block->getParent());
  b.CreateCondBr(b.CreateOrReduce(rare), slow, done,
                 llvm::MDBuilder(b.getContext()).createBranchWeights(1, 2000));
  b.SetInsertPoint(slow);
  Value* exact = b.CreateFDiv(x, divisor);
  b.CreateBr(done);
  b.SetInsertPoint(done);
  auto* result = b.CreatePHI(x->getType(), 2);
  result->addIncoming(quick, block);
  result->addIncoming(exact, slow);
  return result;
}

}  // namespace tilewire::target::cpu
