// Several ops on large tensors in one loop over blocks.
#include "ir/op.h"
#include "passes/tensor_converter.h"

namespace tilewire::passes {

using namespace ir;

void TensorConverter::statements(const Block& body) {
  for (size_t i = 0; i < body.stmts.size();) {
    OpGroup group = group_from(body, i, plan_, roots_, uses_);
    if (group.items.empty()) {
      statement(*body.stmts[i++]);
    } else {
      emit_group(group);
      i = group.end;
    }
  }
}

void TensorConverter::emit_group(const OpGroup& group) {
  for (const StmtRef& stmt : group.before) statement(*stmt);
  tiles_.clear();
  memory_.clear();
  open_memory(group);
  for_each_block(group.shape, group.rows, group.cols, group.span, [&](const TileBlock& block) {
    loaded_.clear();
    for (const OpGroup::Item& item : group.items) emit_item(group, item, block);
  });
}

// Makes sure that what the group reads from outside is in memory, and makes what it leaves there.
void TensorConverter::open_memory(const OpGroup& group) {
  PointerMap<uint8_t> inside;
  for (const OpGroup::Item& item : group.items) {
    for (const ExprRef& arg : item.call->args) {
      if (!arg || !isa<TensorType>(arg->type) || inside.find(arg.get()) || memory_.find(arg.get())) continue;
      memory_.insert(arg.get(), memory_of(arg, item.call->span));
    }
    if (!item.var) continue;
    if (item.op->form == TensorForm::Assemble) {
      bind(*item.var, use(item.call->args[0]));
      continue;
    }
    inside.insert(item.var.get(), 1);
    if (!item.escapes) continue;
    const auto& type = static_cast<const TensorType&>(*item.call->type);
    bind(*item.var, create(type.shape, type.dtype, item.var->name_hint, item.call->span));
  }
}

// A value of the group, or the part of a tensor; loaded once a block.
ExprRef TensorConverter::group_operand(const ExprRef& arg, const TileBlock& part) {
  if (const ExprRef* tile = tiles_.find(arg.get())) return *tile;
  const ExprRef& tensor = *memory_.find(arg.get());
  for (const auto& [from, rows, cols, tile] : loaded_) {
    if (from == arg.get() && rows == part.rows.size && cols == part.cols.size) return tile;
  }
  ExprRef tile = load_block(tensor, part);
  loaded_.emplace_back(arg.get(), part.rows.size, part.cols.size, tile);
  return tile;
}

void TensorConverter::emit_item(const OpGroup& group, const OpGroup::Item& item, const TileBlock& block) {
  const Call& call = *item.call;
  // The block of a tensor in the group's rows: all its columns, or the group's.
  auto block_of = [&](const TypeRef& type, bool one_row) {
    TileBlock part = block;
    const ExprList& shape = static_cast<const TensorType&>(*type).shape;
    if (group.whole_rows) part.cols = {const_index(0), *constant_value(cols_of(shape)), nullptr};
    if (one_row) part.rows = {const_index(0), 1, nullptr};
    return part;
  };
  if (item.op->form == TensorForm::Assemble) {
    TileBlock part = block_of(call.args[1]->type, false);
    ExprList offsets = use(static_cast<const MakeTuple&>(*call.args[2]).elements);
    ExprRef tile = group_operand(call.args[1], part);
    store_block(tile, use(call.args[0]), shifted(part, offsets, offsets.size()));
    return;
  }
  TileBlock result = block_of(call.type, false);
  bool expands = item.op->form == TensorForm::ExpandRow || item.op->form == TensorForm::ExpandCol;
  bool fills = item.op->form == TensorForm::Fill;
  ExprList args;
  for (size_t i = 0; i < call.args.size(); ++i) {
    const ExprRef& arg = call.args[i];
    bool one_row = (item.op->form == TensorForm::MapCol && i == 1) || item.op->form == TensorForm::ExpandCol;
    if (arg && isa<TensorType>(arg->type)) {
      args.push_back(group_operand(arg, block_of(arg->type, one_row)));
    } else if ((fills && i == 0) || (expands && i == 1)) {
      args.push_back(
          make<MakeTuple>(call.span, ExprList{const_index(result.rows.size), const_index(result.cols.size)}));
    } else {
      args.push_back(use(arg));
    }
  }
  args.resize(item.op->tile->operand_count);
  ExprRef tile = tile_op(item.var->name_hint.c_str(), *item.op->tile, std::move(args), call.attrs, call.span);
  if (expands || fills) tile = cut(tile, result);
  tiles_.insert(item.var.get(), tile);
  if (item.escapes) store_block(tile, use(ExprRef(item.var)), result);
}

}  // namespace tilewire::passes
