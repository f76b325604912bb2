// Elementary functions of FP32 values, as vector code.
//
// Each takes a scalar or a fixed vector of any length and produces the same bits for every length. Errors are
// at most 2 ulp over all inputs, on machines without fused multiply-add too; recip and sqrt round correctly.
// Infinities, NaN, signed zeros and denormals are handled as in IEEE 754 and libm. Results of 16- and 8-bit
// dtypes are these, rounded.
//
// emit_sin, emit_cos and emit_rem have a rare path that calls libm (sinf, cosf, fmodf) for the lanes that
// need it, so they split the block: the builder must be at the end of an unfinished one and ends in
// another. The rest is straight-line code.
#pragma once

#include "target/cpu/machine.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace tilewire::target::cpu {

llvm::Value* emit_exp(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* x);
llvm::Value* emit_log(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* x);
llvm::Value* emit_tanh(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* x);
llvm::Value* emit_sigmoid(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* x);
llvm::Value* emit_sin(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* x);
llvm::Value* emit_cos(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* x);
llvm::Value* emit_sqrt(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* x);
llvm::Value* emit_rsqrt(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* x);
llvm::Value* emit_recip(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* x);
// a - trunc(a / b) * b without rounding: fmod.
llvm::Value* emit_rem(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* a, llvm::Value* b);

// Division of many vectors by one FP32 number: the same bits as fdiv, faster where has_quick_division. A
// Divisor is made once, outside the loop. emit_divide has a rare path, as above.
struct Divisor {
  llvm::Value* value;      // scalars all
  llvm::Value* high;       // 1 / value, rounded
  llvm::Value* low;        // and what is missing
  llvm::Value* range;      // of dividends without the rare path; see math_divide.cpp
  llvm::Value* exception;  // and one more, in bits
};
bool has_quick_division(const Machine& machine);
Divisor make_divisor(llvm::IRBuilderBase& builder, llvm::Value* value);
llvm::Value* emit_divide(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* x,
                         const Divisor& by);

}  // namespace tilewire::target::cpu
