// Which ops work on whole tensors, for the passes that turn them into loops over tiles. Views, element access
// and communication work on tensors in kernels as they are.
#pragma once

#include "ir/op.h"

namespace tilewire::passes {

// Whether the op computes or copies whole tensors; `form` is how it iterates over them.
inline bool is_whole_tensor_op(const ir::Op& op) {
  return op.on_tensors && op.form != ir::OpForm::None;
}

// Whether the op writes the tensor it is given as its first operand.
inline bool writes_operand(ir::OpForm form) {
  return form == ir::OpForm::Scatter || form == ir::OpForm::Assemble || form == ir::OpForm::MatmulAcc;
}

// Of reductions on tensors: the op on tiles that joins the results of two parts, or, for positions, that
// finds the value they are the position of.
const ir::Op& joining(const ir::Op& reduction);

}  // namespace tilewire::passes
