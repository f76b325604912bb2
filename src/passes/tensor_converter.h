// The work of convert_tensor_to_tile_ops.h on one kernel.
#pragma once

#include "passes/block_loops.h"
#include "passes/op_groups.h"
#include "passes/roots.h"
#include "passes/shared_parameters.h"
#include "passes/tensor_forms.h"
#include "passes/tensor_type.h"
#include "passes/tile_plan.h"

namespace tilewire::passes {

class TensorConverter : public BlockLoops {
 public:
  // `sharing`: which parameters of the kernel may be one memory.
  TensorConverter(const ir::Function& kernel, const Traits& traits, const ReturnRoots& returns,
                  const Sharing& sharing, Diagnostics& diags);

  // Runs of ops over the same rows share one loop.
  void statements(const ir::Block& body) override;

 protected:
  void assign(const ir::Assign& assign) override;
  void eval(const ir::Eval& eval) override;

 private:
  // The replacement of the call's value: a tile, or a tensor in memory.
  ir::ExprRef convert(const ir::Call& call, const ir::Op& op, const std::string& name, bool as_tile);
  ir::ExprRef whole(const ir::Call& call, const ir::Op& op, const std::string& name);
  ir::ExprRef assemble(const ir::Call& call, bool as_tile);
  ir::ExprList tile_operands(const ir::Call& call, const ir::Op& op);
  void into_memory(const ir::Call& call, const ir::Op& op, const ir::ExprRef& out);

  bool fits_as_tiles(const ir::Call& call, const ir::Op& op) const;

  // Operands in either kind.
  ir::ExprRef tile_of(const ir::ExprRef& operand, const Span& span);
  ir::ExprRef memory_of(const ir::ExprRef& operand, const Span& span);
  ir::ExprList memory_operands(const ir::Call& call);
  // The operand in memory, or a copy of it when writing `target` part by part could change it.
  ir::ExprRef apart_from(const ir::ExprRef& operand, const ir::ExprRef& target, const Span& span);
  bool may_overlap(const ir::ExprRef& a, const ir::ExprRef& b) const;

  ir::ExprRef create(const ir::ExprList& shape, ir::DType dtype, const std::string& name, const Span& span);
  void store_at(const ir::ExprRef& tile, const ir::ExprRef& tensor, ir::ExprList offsets, const Span& span);
  void store_whole(const ir::ExprRef& tile, const ir::ExprRef& tensor, const Span& span);
  void copy_blocks(const ir::ExprRef& from, const ir::ExprRef& to, const ir::ExprList& offsets,
                   const Span& span);

  // The block of another tensor of that rank that lies `offsets` further.
  TileBlock shifted(TileBlock block, const ir::ExprList& offsets, size_t rank);

  // convert_groups.cpp: several ops in one loop
  bool into_target(const ir::Stmt& computes, const ir::Stmt& stores);
  ir::ExprRef part_of(const ir::Call& assemble);
  void emit_group(const OpGroup& group);
  void emit_item(const OpGroup& group, const OpGroup::Item& item, const TileBlock& block);
  ir::ExprRef group_operand(const ir::ExprRef& arg, const TileBlock& part);
  void open_memory(const OpGroup& group);

  // convert_blocks.cpp: element by element and reductions
  void map(const ir::Call& call, const ir::Op& op, const ir::ExprRef& out);
  ir::ExprRef map_block(const ir::Call& call, const ir::Op& op, const ir::ExprList& operands,
                        const TileBlock& block);
  ir::ExprRef count_block(const ir::Call& call, const TileBlock& block);
  ir::ExprRef cut(const ir::ExprRef& tile, const TileBlock& block);
  ir::ExprRef full_tile(int64_t rows, int64_t cols, const ir::ExprRef& value, const Span& span);
  void reduce_rows(const ir::Call& call, const ir::Op& op, const ir::ExprRef& out);
  void reduce_cols(const ir::Call& call, const ir::Op& op, const ir::ExprRef& out);
  ir::ExprRef reduce_block(const ir::Call& call, const ir::Op& op, const ir::ExprRef& x,
                           const TileBlock& block);
  ir::ExprRef long_row(const ir::Call& call, const ir::Op& op, const ir::ExprRef& x, const TileBlock& block,
                       int64_t cols);

  // convert_matmul.cpp
  void matmul(const ir::Call& call, const ir::ExprRef& out, const ir::ExprRef& start);
  ir::ExprRef accumulate(const ir::Call& call, const ir::Op& op);

  // convert_elements.cpp: joining, gathering, scattering
  void concat(const ir::Call& call, const ir::ExprRef& out);
  void gather(const ir::Call& call, const ir::ExprRef& out);
  ir::ExprRef scatter(const ir::Call& call, const ir::Op& op);
  void for_each_element(const ir::ExprList& shape, size_t dim, ir::ExprList& index, const Span& span,
                        const std::function<void()>& body);
  ir::ExprRef read(const ir::ExprRef& tensor, ir::ExprList index, const Span& span);

  TilePlan plan_;
  Roots roots_;
  const Sharing& sharing_;
  UseCounts uses_;
  // Of the group being written: the tile that holds a value in this block, the tensors it reads and writes,
  // and what has been loaded in this block.
  ir::PointerMap<ir::ExprRef> tiles_, memory_;
  std::vector<std::tuple<const ir::Expr*, int64_t, int64_t, ir::ExprRef>> loaded_;
};

// An axis attribute of a call over tensors of that rank, counted from the front.
int64_t axis_of(const ir::Call& call, int64_t by_default, size_t rank);

}  // namespace tilewire::passes
