// Arithmetic on FP32 and INT32 values of one shape, a scalar or a fixed vector, as LLVM instructions.
//
// The shape is that of the value a Lanes is made for; constants are splatted to it, so one emitter serves
// every width and produces the same bits in each. Instructions carry no fast-math flags, whatever the builder
// has set: LLVM may neither contract nor reassociate them.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <initializer_list>

#include "target/cpu/machine.h"

namespace tilewire::target::cpu {

class Lanes {
 public:
  // `like` has the shape; its element type does not matter.
  Lanes(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Type* like);
  Lanes(const Lanes&) = delete;

  llvm::IRBuilderBase& b() const { return builder_; }
  const Machine& machine() const { return machine_; }

  // This shape with another element type.
  llvm::Type* of(llvm::Type* element) const;
  llvm::Type* float_type() const;
  llvm::Type* int_type(unsigned bits = 32) const;

  llvm::Value* f(double value) const;
  llvm::Value* i(int64_t value, unsigned bits = 32) const;
  llvm::Value* nan() const;
  llvm::Value* infinity() const;

  llvm::Value* as_int(llvm::Value* x) const;                        // the bits of an FP32 value
  llvm::Value* as_float(llvm::Value* x) const;                      // and back
  llvm::Value* magnitude(llvm::Value* x) const;                     // |x|
  llvm::Value* sign_bit(llvm::Value* x) const;                      // as an integer, the other bits 0
  llvm::Value* with_sign(llvm::Value* x, llvm::Value* sign) const;  // x with the bits of `sign` turned over
  llvm::Value* is_nan(llvm::Value* x) const;

  // a * b + c: one rounding where the machine fuses, two where it does not.
  llvm::Value* mul_add(llvm::Value* a, llvm::Value* b, llvm::Value* c) const;
  // c - a * b, in the same way.
  llvm::Value* mul_sub(llvm::Value* a, llvm::Value* b, llvm::Value* c) const;
  // Horner's rule; the lowest coefficient first.
  llvm::Value* polynomial(llvm::Value* x, std::initializer_list<double> coefficients) const;
  llvm::Value* intrinsic(unsigned id, llvm::Value* x) const;  // a unary one, such as llvm.sqrt

 private:
  llvm::IRBuilderBase& builder_;
  const Machine& machine_;
  unsigned lanes_;  // 0 for a scalar
  llvm::IRBuilderBase::FastMathFlagGuard guard_;
};

}  // namespace tilewire::target::cpu
