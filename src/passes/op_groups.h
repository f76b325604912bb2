// Runs of ops on large tensors that go over the same rows, so that one loop over blocks can do them all and
// what one hands to the next stays in a tile.
#pragma once

#include <vector>

#include "ir/nodes.h"
#include "ir/pointer_map.h"
#include "passes/roots.h"
#include "passes/shared_parameters.h"
#include "passes/tensor_forms.h"
#include "passes/tile_plan.h"

namespace tilewire::passes {

// Whether the operand is one row for all rows of the result, or one column for all its columns.
bool is_row_operand(ir::OpForm form, size_t operand);
bool is_column_operand(ir::OpForm form, size_t operand);

// How often each variable that a function's body defines is used.
class UseCounts {
 public:
  explicit UseCounts(const ir::Function& function);
  uint32_t of(const ir::Expr& var) const;

 private:
  ir::PointerMap<uint32_t> counts_;
};

struct OpGroup {
  struct Item {
    const ir::Call* call = nullptr;
    const ir::Op* op = nullptr;  // of the call
    ir::VarRef var;              // what it defines; null in a bare statement
    bool escapes = false;        // used after the group as well: it must be in memory too
  };
  std::vector<Item> items;
  std::vector<ir::StmtRef> before;  // views and scalars between them, which depend on none of them
  size_t end = 0;                   // the statement after the group
  ir::ExprList shape;               // what the loops go over
  bool whole_rows = false;     // each block is of full rows; else blocks have both extents, equal for all
  int64_t rows = 1, cols = 1;  // of a block
  Span span;
};

// The group that starts with a statement; `items` is empty when there is none of at least two ops. A group
// ends before an op of another shape, before an effect, and before an op that would read in one block what
// another block writes.
OpGroup group_from(const ir::Block& body, size_t first, const TilePlan& plan, const Roots& roots,
                   const Sharing& sharing, const UseCounts& uses);

}  // namespace tilewire::passes
