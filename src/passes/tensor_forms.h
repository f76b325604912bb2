// How ops on whole tensors go over their elements: what converting them to tiles has to know.
//
// Only ops that compute or copy have a form. Views, element access and communication work on tensors in
// kernels as they are.
#pragma once

#include <optional>

#include "ir/op.h"

namespace tilewire::passes {

enum class TensorForm : uint8_t {
  Map,        // element by element, all operands of the result's shape
  ExpandRow,  // a column [.., r, 1] repeated over the columns of the result
  ExpandCol,  // a row [.., 1, c] repeated over its rows
  MapRow,     // the second operand is such a column
  MapCol,     // the second operand is such a row
  ReduceRow,  // [.., r, c] to [.., r, 1]
  ReduceCol,  // [.., r, c] to [.., 1, c]
  ArgRow,     // the same as ReduceRow, giving a position
  Fill,       // a new tensor, every element the same
  Count,      // a new tensor that counts along an axis
  Create,     // a new tensor, undefined
  Concat,
  Gather,
  Scatter,   // writes its first operand
  Assemble,  // writes its first operand
  Matmul,
  MatmulBias,
  MatmulAcc,  // writes its first operand
  BatchMatmul,
};

struct TensorOp {
  TensorForm form;
  const ir::Op* tile;     // the op of the same name on tiles; null for batch_matmul
  const ir::Op* combine;  // of reductions: what joins the results of two parts
};

// Null for ops without a form.
const TensorOp* tensor_op(const ir::Op& op);

// The form of the op on tiles that has one on tensors; nothing for others.
std::optional<TensorForm> tile_form(const ir::Op& tile_op);

// Whether the op writes the tensor it is given as its first operand.
inline bool writes_operand(TensorForm form) {
  return form == TensorForm::Scatter || form == TensorForm::Assemble || form == TensorForm::MatmulAcc;
}

}  // namespace tilewire::passes
