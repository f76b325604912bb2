// Arithmetic of the language on register values, scalars and vectors alike: what the scalar ops and the
// elementwise ops have in common. Results are rounded to their dtype; integers wrap.
#pragma once

#include "ir/dtype.h"
#include "ir/elementwise.h"
#include "ir/enums.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using ir::Elementwise;

llvm::Value* binary(Registers& r, Elementwise op, ir::DType dtype, llvm::Value* a, llvm::Value* b);
llvm::Value* unary(Registers& r, Elementwise op, ir::DType dtype, llvm::Value* x);
llvm::Value* compare(Registers& r, ir::CmpOp op, ir::DType dtype, llvm::Value* a, llvm::Value* b);

// Without rounding: for accumulators, which are FP32 whatever the dtype.
llvm::Value* larger(Registers& r, ir::DType dtype, llvm::Value* a, llvm::Value* b);
llvm::Value* smaller(Registers& r, ir::DType dtype, llvm::Value* a, llvm::Value* b);

bool is_signed(ir::DType dtype);
// The largest and smallest value of a dtype in register form; infinities for floats that have them.
llvm::Constant* highest(llvm::Type* type, ir::DType dtype);
llvm::Constant* lowest(llvm::Type* type, ir::DType dtype);

}  // namespace tilewire::target::cpu
