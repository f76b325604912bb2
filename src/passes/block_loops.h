// Loops over the blocks of tensors that are too large, or not known well enough, to be one tile.
//
// A block is [rows, cols] elements of the last two dimensions at one index of the others. At the end of a
// dimension that is not a multiple of the block, blocks reach past the tensor and carry a valid shape
// how much of them is there.
#pragma once

#include <functional>

#include "passes/structured_builder.h"

namespace tilewire::passes {

// One dimension of a block: where it starts, how long it is, how much of that exists.
struct Extent {
  ir::ExprRef start;  // INDEX
  int64_t size = 1;
  ir::ExprRef valid;  // null: all of it
};

struct TileBlock {
  ir::ExprList lead;  // the index in each dimension before the last two
  Extent rows, cols;
  Span span;
};

// A writer of statements over blocks. The base of the pass that converts tensors to tiles.
class BlockLoops : public StructuredBuilder {
 public:
  using StructuredBuilder::StructuredBuilder;

 protected:
  using Body = std::function<void(const TileBlock&)>;

  // Runs `body` for every block of `shape`; a dimension whose size in `block` is its whole constant extent
  // takes no loop. A tensor of rank 1 has one row.
  void for_each_block(const ir::ExprList& shape, int64_t rows, int64_t cols, const Span& span,
                      const Body& body);
  // One loop: `body` gets the extent of each step.
  void for_each_step(const ir::ExprRef& extent, int64_t size, const char* name, const Span& span,
                     const std::function<void(const Extent&)>& body);
  // The same with values handed from step to step.
  ir::ExprList fold_steps(const ir::ExprRef& extent, int64_t size, const char* name, ir::ExprList start,
                          const Span& span,
                          const std::function<ir::ExprList(const Extent&, const ir::ExprList&)>& body);

  // The block of a tensor as a tile, and back. Neither is bound to a name of the program.
  ir::ExprRef load_block(const ir::ExprRef& tensor, const TileBlock& block);
  void store_block(const ir::ExprRef& tile, const ir::ExprRef& tensor, const TileBlock& block);
  // A whole tensor that fits one.
  ir::ExprRef load_whole(const ir::ExprRef& tensor, const Span& span);

  ir::VarRef tile_op(const char* name, const ir::Op& op, ir::ExprList args, ir::AttrList attrs,
                     const Span& span);

 private:
  ir::ExprRef rest_of(const ir::ExprRef& end, const ir::ExprRef& at, int64_t size, const Span& span);
  void over_lead(const ir::ExprList& shape, size_t dim, TileBlock& block, const std::function<void()>& body);
};

// Rows and columns of the last two dimensions; one row for rank 1.
ir::ExprRef rows_of(const ir::ExprList& shape);
ir::ExprRef cols_of(const ir::ExprList& shape);

// The largest block of at most `most` bytes, of full rows where they fit.
struct BlockSize {
  int64_t rows, cols;
};
BlockSize block_size(const ir::ExprList& shape, ir::DType dtype, int64_t most);

}  // namespace tilewire::passes
