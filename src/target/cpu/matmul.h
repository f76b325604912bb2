// Matrix products of tiles and tensors in memory.
//
// C[m, n] = A[m, k] * B[k, n], or += . A and B are FP32, FP16, BF16 or INT8; C is FP32, for INT8 INT32.
// Matrices are row-major with any row stride, so a region of a tensor is read where it lies; a transposed
// operand is stored [k, m] or [n, k]. C must not overlap the operands.
//
// A loop `acc = matmul_acc(acc, load(A, [i, k]), load(B, [k, j]))` over k is one product with the whole k:
// the code blocks k itself, packs what it reads more than once, and visits C once per block. m, n, k and the
// strides may be constants or runtime values; any of m, n, k may be 0.
//
// The order of additions depends only on m, n, k, the dtype and the machine, not on strides or addresses.
// BF16 dot instructions, where the machine has them, take denormals for zero.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/dtype.h"
#include "target/cpu/machine.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace tilewire::target::cpu {

struct MatmulArgs {
  ir::DType dtype;  // of A and B
  bool a_trans = false;
  bool b_trans = false;
  bool accumulate = false;  // add to what is in C
  llvm::Value* m;           // i64, as all sizes and strides
  llvm::Value* n;
  llvm::Value* k;
  llvm::Value* a;  // pointers to the first elements
  llvm::Value* b;
  llvm::Value* c;
  llvm::Value* a_stride;  // elements from row to row, as stored
  llvm::Value* b_stride;
  llvm::Value* c_stride;
  llvm::Value* scratch;  // matmul_scratch_bytes, aligned to 64; its contents do not matter
};

// Sizes that are not known are left out.
uint64_t matmul_scratch_bytes(const Machine& machine, ir::DType dtype, std::optional<int64_t> m,
                              std::optional<int64_t> n, std::optional<int64_t> k);

// Emits a call of a function that the first product of its kind adds to the module. Constant sizes and
// strides make it, and the kernels it needs, cheaper to compile.
void emit_matmul(llvm::IRBuilderBase& builder, const Machine& machine, const MatmulArgs& args);

}  // namespace tilewire::target::cpu
