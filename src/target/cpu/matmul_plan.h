// How a product is cut up on a machine: the instruction, the shape of the register block, the sizes of the
// blocks that stay in a cache, where they lie in the scratch memory, and the functions that work on them.
//
// Kernels work on units of 32 bits: one FP32 element, two of BF16 or INT16, four of INT8, neighbours in k.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <functional>
#include <string>

#include "ir/dtype.h"
#include "target/cpu/machine.h"

namespace tilewire::target::cpu {

enum class Dot {
  FP32,   // fused multiply-add, or multiply and add
  BF16,   // pairs: vdpbf16ps
  INT8,   // quads of u8 and s8: vpdpbusd; A is packed with 128 added, B's column sums take it away again
  INT16,  // pairs: pmaddwd
  INT32,  // multiply and add
};

struct MatmulPlan {
  const Machine& machine;
  ir::DType dtype;  // of A and B in memory
  Dot dot;
  int64_t group;    // elements of k in a unit
  unsigned lanes;   // units in a vector
  int64_t rows;     // of the register block
  int64_t vectors;  // its width
  int64_t block_m, block_n, block_k;

  int64_t width() const { return vectors * lanes; }
  bool floating() const { return dot == Dot::FP32 || dot == Dot::BF16; }
  // Whether the kernel can read operands where they are.
  bool direct() const { return dtype == ir::DType::FP32; }
  std::string name(const std::string& part) const;
};

MatmulPlan matmul_plan(const Machine& machine, ir::DType dtype);
// The plan with a register block of four rows by four vectors, which asks for the fewest loads: for a B whose
// rows are whole blocks and which stays in the first-level cache, since every strip of A reads all of it.
MatmulPlan matmul_plan_wide(MatmulPlan plan);

// Offsets in the scratch memory; what comes last is packed A.
struct MatmulScratch {
  int64_t edge;    // a register block that sticks out of C
  int64_t sums;    // column sums of B, for INT8
  int64_t panels;  // packed B
};
MatmulScratch matmul_scratch(const MatmulPlan& plan);

// Finds the function or adds it, filled by `body`, to the module. All are internal and return nothing.
llvm::Function* matmul_function(llvm::Module& module, const std::string& name,
                                llvm::ArrayRef<llvm::Type*> args,
                                const std::function<void(llvm::IRBuilder<>&, llvm::Function&)>& body);

// kernel(ptr a, i64 row, i64 step, ptr b, i64 step, ptr c, i64 row, i64 units, i1 accumulate, ptr sums,
//        ptr ahead, i64 step)
// multiplies `rows` rows of A by a panel of B of `vectors` vectors; strides in bytes, `step` from unit to
// unit of k. `ahead` walks along and asks for the lines it passes, which someone will read later.
llvm::FunctionType* matmul_kernel_type(llvm::LLVMContext& context);
llvm::Function* matmul_kernel(llvm::Module& module, const MatmulPlan& plan, int64_t rows, int64_t vectors);
// edge(ptr block, ptr c, i64 row, i64 rows, i64 columns, i1 accumulate)
// puts the part of a register block that lies in C there.
llvm::Function* matmul_edge(llvm::Module& module, const MatmulPlan& plan);
// sums(ptr panels, i64 panels, i64 units, ptr sums)
// adds up the columns of packed B, 128 times each element.
llvm::Function* matmul_sums(llvm::Module& module, const MatmulPlan& plan);

// straight(ptr from, i64 stride, i64 k, i64 columns, ptr to, i64 panel)
// packs a matrix stored [k, columns] into panels of `panel` units, a multiple of the vector length:
// [columns / panel][k / group][panel]. What is missing of a vector or group is 0.
llvm::Function* matmul_pack_straight(llvm::Module& module, const MatmulPlan& plan, bool left);
// turned(...): the same from a matrix stored [columns, k].
llvm::Function* matmul_pack_turned(llvm::Module& module, const MatmulPlan& plan);
// rows(ptr from, i64 stride, i64 rows, i64 k, ptr to, i64 to_stride)
// packs A, stored [rows, k], row by row.
llvm::Function* matmul_pack_rows(llvm::Module& module, const MatmulPlan& plan);

}  // namespace tilewire::target::cpu
