#include "target/cpu/vector.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Intrinsics.h>

namespace tilewire::target::cpu {

using llvm::Value;

Lanes::Lanes(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Type* like)
    : builder_(builder), machine_(machine), lanes_(0), guard_(builder) {
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like)) lanes_ = vector->getNumElements();
  builder.clearFastMathFlags();
}

llvm::Type* Lanes::of(llvm::Type* element) const {
  return lanes_ ? llvm::FixedVectorType::get(element, lanes_) : element;
}

llvm::Type* Lanes::float_type() const {
  return of(builder_.getFloatTy());
}

llvm::Type* Lanes::int_type(unsigned bits) const {
  return of(builder_.getIntNTy(bits));
}

Value* Lanes::f(double value) const {
  return llvm::ConstantFP::get(float_type(), value);
}

Value* Lanes::i(int64_t value, unsigned bits) const {
  return llvm::ConstantInt::get(int_type(bits), static_cast<uint64_t>(value), true);
}

Value* Lanes::nan() const {
  return llvm::ConstantFP::getNaN(float_type());
}

Value* Lanes::infinity() const {
  return llvm::ConstantFP::getInfinity(float_type());
}

Value* Lanes::as_int(Value* x) const {
  return builder_.CreateBitCast(x, int_type());
}

Value* Lanes::as_float(Value* x) const {
  return builder_.CreateBitCast(x, float_type());
}

Value* Lanes::magnitude(Value* x) const {
  return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
}

Value* Lanes::sign_bit(Value* x) const {
  return builder_.CreateAnd(as_int(x), i(INT32_MIN));
}

Value* Lanes::with_sign(Value* x, Value* sign) const {
  return as_float(builder_.CreateXor(as_int(x), sign));
}

Value* Lanes::is_nan(Value* x) const {
  return builder_.CreateFCmpUNO(x, x);
}

Value* Lanes::mul_add(Value* a, Value* b, Value* c) const {
  if (!machine_.fma) return builder_.CreateFAdd(builder_.CreateFMul(a, b), c);
  return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

Value* Lanes::mul_sub(Value* a, Value* b, Value* c) const {
  if (!machine_.fma) return builder_.CreateFSub(c, builder_.CreateFMul(a, b));
  return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {builder_.CreateFNeg(a), b, c});
}

Value* Lanes::polynomial(Value* x, std::initializer_list<double> coefficients) const {
  auto next = std::rbegin(coefficients);
  Value* sum = f(*next++);
  for (; next != std::rend(coefficients); ++next) sum = mul_add(sum, x, f(*next));
  return sum;
}

Value* Lanes::intrinsic(unsigned id, Value* x) const {
  return builder_.CreateUnaryIntrinsic(id, x);
}

}  // namespace tilewire::target::cpu
