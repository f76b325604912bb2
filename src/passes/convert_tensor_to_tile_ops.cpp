#include "passes/convert_tensor_to_tile_ops.h"

#include <algorithm>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ops/handles.h"
#include "passes/return_by_parameter.h"
#include "passes/tensor_converter.h"
#include "passes/tensor_type.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// Rows and columns of a tensor that is a tile as a whole.
ExprRef tile_shape(const ExprList& shape, const Span& span) {
  return make<MakeTuple>(span, ExprList{rows_of(shape), cols_of(shape)});
}

// An axis of a tensor, as an axis of the tile that holds its last two dimensions.
int64_t tile_axis(int64_t axis, size_t rank) {
  return rank == 1 ? 1 : std::max<int64_t>(0, axis - (static_cast<int64_t>(rank) - 2));
}

// The tensor whose axes an `axis` attribute counts.
const TypeRef& axis_type(const Call& call) {
  const ExprRef& first = call.args[0];
  if (isa<TensorType>(first->type)) return first->type;
  const auto* list = as<MakeTuple>(first);
  bool tensors = list && !list->elements.empty() && isa<TensorType>(list->elements[0]->type);
  return tensors ? list->elements[0]->type : call.type;
}

}  // namespace

int64_t axis_of(const Call& call, int64_t by_default, size_t rank) {
  const AttrValue* value = find_attr(call.attrs, "axis");
  int64_t axis = value ? *value->get<int64_t>() : by_default;
  return axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
}

TensorConverter::TensorConverter(const Function& kernel, const Traits& traits, const ReturnRoots& returns,
                                 const Sharing& sharing, Diagnostics& diags)
    : BlockLoops(diags), plan_(kernel, traits), roots_(kernel, returns), sharing_(sharing), uses_(kernel) {}

void TensorConverter::assign(const Assign& assign) {
  const auto* call = as<Call>(assign.value);
  const Op* op = call && is_whole_tensor_op(*call->op) ? call->op : nullptr;
  if (!op) return Rebuilder::assign(assign);
  bind(*assign.var, convert(*call, *op, assign.var->name_hint, plan_.is_tile(*assign.var)));
}

void TensorConverter::eval(const Eval& eval) {
  const auto* call = as<Call>(eval.value);
  const Op* op = call && is_whole_tensor_op(*call->op) ? call->op : nullptr;
  if (!op) return Rebuilder::eval(eval);
  // Without a use of its value, only what is written in memory counts.
  if (writes_operand(op->form) && !plan_.is_tile(*call->args[0])) convert(*call, *op, "t", false);
}

// --- operands

ExprRef TensorConverter::tile_of(const ExprRef& operand, const Span& span) {
  ExprRef now = use(operand);
  return isa<TensorType>(now->type) ? load_whole(now, span) : now;
}

ExprRef TensorConverter::memory_of(const ExprRef& operand, const Span& span) {
  ExprRef now = use(operand);
  if (!isa<TileType>(now->type)) return now;
  const TensorType& type = tensor_type_of(operand);
  ExprRef tensor = create(type.shape, type.dtype, "spill", span);
  store_whole(now, tensor, span);
  return tensor;
}

ExprList TensorConverter::memory_operands(const Call& call) {
  ExprList operands;
  for (const ExprRef& arg : call.args) {
    operands.push_back(arg && isa<TensorType>(arg->type) ? memory_of(arg, call.span) : use(arg));
  }
  return operands;
}

bool TensorConverter::may_overlap(const ExprRef& a, const ExprRef& b) const {
  return passes::may_overlap(roots_.of(a), roots_.of(b), sharing_);
}

ExprRef TensorConverter::apart_from(const ExprRef& operand, const ExprRef& target, const Span& span) {
  ExprRef now = memory_of(operand, span);
  if (!may_overlap(operand, target)) return now;
  const TensorType& type = tensor_type_of(now);
  ExprRef copy = create(type.shape, type.dtype, "copy", span);
  copy_blocks(now, copy, ExprList(type.shape.size(), const_index(0)), span);
  return copy;
}

ExprRef TensorConverter::create(const ExprList& shape, DType dtype, const std::string& name,
                                const Span& span) {
  const Op& op = ops::pl::tensor::create;
  ExprRef list = make<MakeTuple>(span, use(shape));
  return assign_new(name, call_op(op, {list}, {{"dtype", AttrValue{dtype}}}, span), span);
}

void TensorConverter::store_at(const ExprRef& tile, const ExprRef& tensor, ExprList offsets,
                               const Span& span) {
  const Op& store = ops::pl::tile::store;
  ExprRef at = make<MakeTuple>(span, std::move(offsets));
  emit(make<Eval>(span, call_op(store, {tile, at, tensor}, {}, span)));
}

void TensorConverter::store_whole(const ExprRef& tile, const ExprRef& tensor, const Span& span) {
  store_at(tile, tensor, ExprList(tensor_type_of(tensor).shape.size(), const_index(0)), span);
}

void TensorConverter::copy_blocks(const ExprRef& from, const ExprRef& to, const ExprList& offsets,
                                  const Span& span) {
  const TensorType& type = tensor_type_of(from);
  size_t rank = type.shape.size();
  BlockSize size = block_size(type.shape, type.dtype, plan_.block_bytes());
  for_each_block(type.shape, size.rows, size.cols, span, [&](const TileBlock& block) {
    ExprRef tile = load_block(from, block);
    store_block(tile, to, shifted(block, offsets, rank));
  });
}

TileBlock TensorConverter::shifted(TileBlock block, const ExprList& offsets, size_t rank) {
  for (size_t i = 0; i + 2 < rank; ++i) block.lead[i] = add(block.lead[i], offsets[i]);
  if (rank >= 2) block.rows.start = add(block.rows.start, offsets[rank - 2]);
  block.cols.start = add(block.cols.start, offsets[rank - 1]);
  return block;
}

// --- one op

ExprRef TensorConverter::convert(const Call& call, const Op& op, const std::string& name, bool as_tile) {
  const TensorType& type = tensor_type_of(call);
  if (op.form == OpForm::Assemble) return assemble(call, as_tile);
  if (as_tile) return whole(call, op, name);
  if (op.form == OpForm::MatmulAcc) return accumulate(call, op);
  if (op.form == OpForm::Scatter) return scatter(call, op);
  ExprRef out = create(type.shape, type.dtype, name, call.span);
  if (op.form == OpForm::Create) return out;
  if (fits_as_tiles(call, op)) {
    store_whole(whole(call, op, name), out, call.span);
  } else {
    into_memory(call, op, out);
  }
  return out;
}

bool TensorConverter::fits_as_tiles(const Call& call, const Op& op) const {
  return op.form != OpForm::BatchMatmul && plan_.fits(call.type) &&
         std::all_of(call.args.begin(), call.args.end(),
                     [this](const ExprRef& arg) { return plan_.fits_whole(arg); });
}

// The op on tiles that hold whole tensors.
ExprRef TensorConverter::whole(const Call& call, const Op& op, const std::string& name) {
  ExprList args = tile_operands(call, op);
  AttrList attrs = call.attrs;
  const TypeRef& counted = axis_type(call);
  size_t rank = static_cast<const TensorType&>(*counted).shape.size();
  for (auto& [key, value] : attrs) {
    if (key == "axis") value = AttrValue{tile_axis(axis_of(call, 0, rank), rank)};
  }
  bool joins = op.form == OpForm::Concat && rank != 2 && !find_attr(call.attrs, "axis");
  if (joins) attrs.push_back({"axis", AttrValue{tile_axis(0, rank)}});
  args.resize(op.counterpart->operand_count);
  return tile_op(name.c_str(), *op.counterpart, std::move(args), std::move(attrs), call.span);
}

ExprList TensorConverter::tile_operands(const Call& call, const Op& op) {
  bool makes = op.form == OpForm::Create || op.form == OpForm::Fill || op.form == OpForm::Count;
  bool expands = op.form == OpForm::ExpandRow || op.form == OpForm::ExpandCol;
  std::vector<std::pair<const Expr*, ExprRef>> loaded;  // `x + x` loads once
  auto operand = [&](const ExprRef& arg) -> ExprRef {
    if (!isa<TensorType>(arg->type)) return use(arg);
    for (const auto& [expr, tile] : loaded) {
      if (expr == arg.get()) return tile;
    }
    loaded.emplace_back(arg.get(), tile_of(arg, call.span));
    return loaded.back().second;
  };
  ExprList args;
  for (const ExprRef& arg : call.args) {
    const auto* list = as<MakeTuple>(arg);
    if (!arg) {
      args.push_back(nullptr);
    } else if (list && (makes || expands)) {
      args.push_back(tile_shape(tensor_type_of(call).shape, call.span));
    } else if (list) {
      ExprList elements;
      for (const ExprRef& element : list->elements) elements.push_back(operand(element));
      args.push_back(make<MakeTuple>(arg->span, std::move(elements)));
    } else {
      args.push_back(operand(arg));
    }
  }
  return args;
}

ExprRef TensorConverter::assemble(const Call& call, bool as_tile) {
  ExprRef target = use(call.args[0]);
  ExprRef part = use(call.args[1]);
  ExprList offsets = use(static_cast<const MakeTuple&>(*call.args[2]).elements);
  if (as_tile) {
    const Op& op = ops::pl::tile::assemble;
    ExprRef tile = isa<TensorType>(part->type) ? load_whole(part, call.span) : part;
    size_t rank = offsets.size();
    ExprList at{rank < 2 ? ExprRef(const_index(0)) : offsets[rank - 2], offsets[rank - 1]};
    return tile_op("t", op, {target, tile, make<MakeTuple>(call.span, std::move(at))}, {}, call.span);
  }
  if (isa<TileType>(part->type)) {
    store_at(part, target, std::move(offsets), call.span);
  } else if (plan_.fits(part->type)) {
    store_at(load_whole(part, call.span), target, std::move(offsets), call.span);
  } else {
    copy_blocks(apart_from(call.args[1], call.args[0], call.span), target, offsets, call.span);
  }
  return target;
}

void TensorConverter::into_memory(const Call& call, const Op& op, const ExprRef& out) {
  switch (op.form) {
    case OpForm::Map:
    case OpForm::MapRow:
    case OpForm::MapCol:
    case OpForm::ExpandRow:
    case OpForm::ExpandCol:
    case OpForm::Fill:
    case OpForm::Count:
      return map(call, op, out);
    case OpForm::ReduceRow:
    case OpForm::ArgRow:
      return reduce_rows(call, op, out);
    case OpForm::ReduceCol:
      return reduce_cols(call, op, out);
    case OpForm::Concat:
      return concat(call, out);
    case OpForm::Gather:
      return gather(call, out);
    case OpForm::Matmul:
    case OpForm::MatmulBias:
    case OpForm::BatchMatmul:
      return matmul(call, out, nullptr);
    default:
      internal_error(__FILE__, __LINE__, "there is no block form of " + call.op->qualified());
  }
}

ProgramRef convert_tensor_to_tile_ops(const ProgramRef& program, const Traits& traits, Diagnostics& diags) {
  ProgramRef ready = return_by_parameter(program, diags);
  if (diags.has_errors()) return ready;
  const ReturnRoots returns = return_roots(*ready);
  const SharedParameters shared(*ready, returns, traits.arguments_apart);
  Ref<Program> result = copy(*ready);
  for (FunctionRef& function : result->functions) {
    if (!is_kernel(function->type)) continue;
    TensorConverter converter(*function, traits, returns, shared.of(*function), diags);
    function = with_body(*function, converter.block(*function->body));
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
