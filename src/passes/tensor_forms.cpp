#include "passes/tensor_forms.h"

#include "ops/registry.h"

namespace tilewire::passes {

const ir::Op& joining(const ir::Op& reduction) {
  bool position = reduction.form == ir::OpForm::ArgRow;
  const ir::Op* op =
      ops::registry().on_tiles(position ? ir::OpForm::ReduceRow : ir::OpForm::Map, reduction.kind);
  TW_CHECK(op, "nothing joins parts of " + reduction.qualified());
  return *op;
}

}  // namespace tilewire::passes
