// Several ops on large tensors in one loop over blocks.
#include "ir/op.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "passes/tensor_converter.h"
#include "passes/tensor_type.h"

namespace tilewire::passes {

using namespace ir;

void TensorConverter::statements(const Block& body) {
  for (size_t i = 0; i < body.stmts.size();) {
    OpGroup group = group_from(body, i, plan_, roots_, sharing_, uses_);
    if (!group.items.empty()) {
      emit_group(group);
      i = group.end;
    } else if (i + 1 < body.stmts.size() && into_target(*body.stmts[i], *body.stmts[i + 1])) {
      i += 2;
    } else {
      statement(*body.stmts[i++]);
    }
  }
}

// `y[...] = op(...)`: the op writes `y` itself when nothing it reads could be a part of it.
bool TensorConverter::into_target(const Stmt& computes, const Stmt& stores) {
  const auto* made = as<Assign>(&computes);
  const auto* assign = as<Assign>(&stores);
  const auto* eval = as<Eval>(&stores);
  const auto* call = made ? as<Call>(made->value) : nullptr;
  const auto* store = as<Call>(assign ? assign->value.get() : eval ? eval->value.get() : nullptr);
  const Op* op = call && is_whole_tensor_op(*call->op) ? call->op : nullptr;
  const Op* assemble = store && is_whole_tensor_op(*store->op) ? store->op : nullptr;
  if (!op || !assemble || assemble->form != OpForm::Assemble || store->args[1] != made->var) return false;
  const ExprRef& target = store->args[0];
  bool in_memory = !plan_.is_tile(*made->var) && !plan_.is_tile(*target) && !fits_as_tiles(*call, *op);
  bool computed = op->form != OpForm::Create && !writes_operand(op->form);
  if (!in_memory || !computed || uses_.of(*made->var) != 1) return false;
  for (const ExprRef& arg : call->args) {
    if (!arg) continue;
    if (isa<TensorType>(arg->type) && may_overlap(arg, target)) return false;
    const auto* list = as<MakeTuple>(arg);
    for (size_t i = 0; list && i < list->elements.size(); ++i) {
      if (may_overlap(list->elements[i], target)) return false;
    }
  }
  into_memory(*call, *op, part_of(*store));
  if (assign) bind(*assign->var, use(target));
  return true;
}

// The part of a tensor that an assemble writes.
ExprRef TensorConverter::part_of(const Call& assemble) {
  const Op& slice = ops::pl::tensor::slice;
  ExprRef target = use(assemble.args[0]);
  const ExprList& whole = tensor_type_of(target).shape;
  const ExprList& shape = tensor_type_of(assemble.args[1]).shape;
  ExprList offsets = use(static_cast<const MakeTuple&>(*assemble.args[2]).elements);
  bool all = true;
  for (size_t i = 0; i < whole.size(); ++i) {
    all =
        all && constant_value(offsets[i]) == 0 && ops::compare(whole[i], use(shape[i])) == ops::Known::Equal;
  }
  if (all) return target;
  ExprRef extents = make<MakeTuple>(assemble.span, use(shape));
  ExprRef at = make<MakeTuple>(assemble.span, std::move(offsets));
  ExprList args{target, extents, at};
  args.resize(slice.operand_count);
  return tile_op("part", slice, std::move(args), {}, assemble.span);
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

// Makes sure that outside inputs of the group are in memory, and creates its outputs.
void TensorConverter::open_memory(const OpGroup& group) {
  PointerMap<uint8_t> inside;
  for (const OpGroup::Item& item : group.items) {
    for (const ExprRef& arg : item.call->args) {
      if (!arg || !isa<TensorType>(arg->type) || inside.find(arg.get()) || memory_.find(arg.get())) continue;
      memory_.insert(arg.get(), memory_of(arg, item.call->span));
    }
    if (!item.var) continue;
    if (item.op->form == OpForm::Assemble) {
      bind(*item.var, use(item.call->args[0]));
      continue;
    }
    inside.insert(item.var.get(), 1);
    if (!item.escapes) continue;
    const TensorType& type = tensor_type_of(*item.call);
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
  auto block_of = [&](const TypeRef& type, bool one_row = false, bool one_column = false) {
    TileBlock part = block;
    const ExprList& shape = static_cast<const TensorType&>(*type).shape;
    if (group.whole_rows) part.cols = {const_index(0), *constant_value(cols_of(shape)), nullptr};
    if (one_row) part.rows = {const_index(0), 1, nullptr};
    if (one_column) part.cols = {const_index(0), 1, nullptr};
    return part;
  };
  if (item.op->form == OpForm::Assemble) {
    TileBlock part = block_of(call.args[1]->type);
    ExprList offsets = use(static_cast<const MakeTuple&>(*call.args[2]).elements);
    ExprRef tile = group_operand(call.args[1], part);
    store_block(tile, use(call.args[0]), shifted(part, offsets, offsets.size()));
    return;
  }
  TileBlock result = block_of(call.type);
  bool expands = item.op->form == OpForm::ExpandRow || item.op->form == OpForm::ExpandCol;
  bool fills = item.op->form == OpForm::Fill;
  ExprList args;
  for (size_t i = 0; i < call.args.size(); ++i) {
    const ExprRef& arg = call.args[i];
    if (arg && isa<TensorType>(arg->type)) {
      bool row = is_row_operand(item.op->form, i), column = is_column_operand(item.op->form, i);
      args.push_back(group_operand(arg, block_of(arg->type, row, column)));
    } else if ((fills && i == 0) || (expands && i == 1)) {
      args.push_back(
          make<MakeTuple>(call.span, ExprList{const_index(result.rows.size), const_index(result.cols.size)}));
    } else {
      args.push_back(use(arg));
    }
  }
  args.resize(item.op->counterpart->operand_count);
  ExprRef tile =
      tile_op(item.var->name_hint.c_str(), *item.op->counterpart, std::move(args), call.attrs, call.span);
  if (expands || fills) tile = cut(tile, result);
  tiles_.insert(item.var.get(), tile);
  if (item.escapes) store_block(tile, use(ExprRef(item.var)), result);
}

}  // namespace tilewire::passes
