// Element types in registers and in memory, and every cast between them.
//
// In a register a float of any dtype is an FP32 value that its dtype can hold exactly; an integer has its own
// width, INT4 is a sign-extended i8, BOOL an i1. In memory 16- and 8-bit floats are i16 and i8, BOOL and INT4
// a byte each. All functions take scalars and fixed vectors of any length, produce the same bits for every
// length, and emit straight-line code without calls, on every machine.
#pragma once

#include "ir/dtype.h"
#include "ir/enums.h"
#include "target/cpu/machine.h"

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class Type;
class Value;
}  // namespace llvm

namespace tilewire::target::cpu {

// For `lanes` 0 the scalar type.
llvm::Type* register_type(llvm::LLVMContext& context, ir::DType dtype, unsigned lanes);
llvm::Type* storage_type(llvm::LLVMContext& context, ir::DType dtype, unsigned lanes);

// What was loaded as storage_type (half and bfloat are taken too), as a register value.
llvm::Value* from_storage(llvm::IRBuilderBase& builder, const Machine& machine, ir::DType dtype,
                          llvm::Value* stored);
// A register value as storage_type. It must fit its dtype: results of arithmetic go through round_to first.
llvm::Value* to_storage(llvm::IRBuilderBase& builder, const Machine& machine, ir::DType dtype,
                        llvm::Value* value);

// An FP32 value rounded to what a float dtype can hold. A finite one beyond the largest becomes infinite, for
// E4M3FN NaN, or the largest, as the mode would have it: Rint, Round and the directed mode on its own side
// overflow, the others stop at the largest.
llvm::Value* round_to(llvm::IRBuilderBase& builder, const Machine& machine, ir::DType dtype,
                      llvm::Value* value, ir::RoundMode mode = ir::RoundMode::Rint);

// FP32 rounded to an integral FP32 value. Odd is not a mode of this one.
llvm::Value* round_integral(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* value,
                            ir::RoundMode mode);

// `pl.cast`, from register value to register value. Floats to integers saturate and NaN becomes 0; integers
// to integers wrap; integers to floats round once, according to `mode`; to BOOL is `!= 0`, NaN included.
llvm::Value* cast(llvm::IRBuilderBase& builder, const Machine& machine, llvm::Value* value, ir::DType from,
                  ir::DType to, ir::RoundMode mode = ir::RoundMode::Rint);

}  // namespace tilewire::target::cpu
