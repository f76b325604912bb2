// Ops that work element by element or reduce rows and columns, on tensors larger than a tile.
#include <algorithm>
#include <limits>

#include "ir/op.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "passes/tensor_converter.h"
#include "passes/tensor_type.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// The widest operand decides how large a block may be.
DType widest(const Call& call) {
  DType dtype = tensor_type_of(call).dtype;
  for (const ExprRef& arg : call.args) {
    if (!arg || !isa<TensorType>(arg->type)) continue;
    if (bits(tensor_type_of(arg).dtype) > bits(dtype)) dtype = tensor_type_of(arg).dtype;
  }
  return dtype;
}

ExprRef extent_of(const Extent& extent) {
  return extent.valid ? extent.valid : ExprRef(const_index(extent.size));
}

ExprRef shape_of(const TileBlock& block) {
  return make<MakeTuple>(block.span, ExprList{const_index(block.rows.size), const_index(block.cols.size)});
}

// The value that changes nothing: zero of a sum, one of a product, the least of a maximum, the greatest of a
// minimum.
ExprRef neutral(Elementwise joins, DType dtype, const Span& span) {
  const bool sum = joins == Elementwise::Add, product = joins == Elementwise::Mul;
  const bool least = joins == Elementwise::Max;
  if (is_float(dtype)) {
    if (sum || product) return make<ConstFloat>(span, product ? 1.0 : 0.0, dtype);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double limit = dtype == DType::FP8E4M3FN ? 448 : infinity;  // the one without infinities
    return make<ConstFloat>(span, least ? -limit : limit, dtype);
  }
  if (sum || product) return make<ConstInt>(span, int64_t{product}, dtype);
  bool is_signed = info(dtype).is_signed;
  int magnitude = std::min(bits(dtype), 64) - (is_signed || bits(dtype) == 64 ? 1 : 0);
  int64_t top = static_cast<int64_t>((uint64_t{1} << magnitude) - 1);
  return make<ConstInt>(span, least ? (is_signed ? -top - 1 : 0) : top, dtype);
}

ExprList reduced(const Op& op, ExprRef tile) {
  ExprList args{std::move(tile)};
  args.resize(op.counterpart->operand_count);
  return args;
}

}  // namespace

void TensorConverter::map(const Call& call, const Op& op, const ExprRef& out) {
  const ExprList& shape = tensor_type_of(out).shape;
  BlockSize size = block_size(shape, widest(call), plan_.block_bytes());
  ExprList operands = memory_operands(call);
  for_each_block(shape, size.rows, size.cols, call.span, [&](const TileBlock& block) {
    store_block(map_block(call, op, operands, block), out, block);
  });
}

ExprRef TensorConverter::map_block(const Call& call, const Op& op, const ExprList& operands,
                                   const TileBlock& block) {
  if (op.form == OpForm::Count) return cut(count_block(call, block), block);
  bool makes = op.form == OpForm::Fill;
  bool expands = op.form == OpForm::ExpandRow || op.form == OpForm::ExpandCol;
  ExprList args = operands;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i] || !isa<TensorType>(args[i]->type)) continue;
    TileBlock part = block;
    if ((op.form == OpForm::MapRow && i == 1) || op.form == OpForm::ExpandRow) {
      part.cols = {const_index(0), 1, nullptr};
    }
    if ((op.form == OpForm::MapCol && i == 1) || op.form == OpForm::ExpandCol) {
      part.rows = {const_index(0), 1, nullptr};
    }
    args[i] = load_block(args[i], part);
  }
  if (makes) args[0] = shape_of(block);
  if (expands) args[1] = shape_of(block);
  args.resize(op.counterpart->operand_count);
  ExprRef tile = tile_op("t", *op.counterpart, std::move(args), call.attrs, block.span);
  return makes || expands ? cut(tile, block) : tile;
}

// A tile made without a load is valid everywhere; at a ragged end only a part of it may be stored.
ExprRef TensorConverter::cut(const ExprRef& tile, const TileBlock& block) {
  if (!block.rows.valid && !block.cols.valid) return tile;
  const Op& op = ops::pl::tile::set_validshape;
  ExprRef valid = make<MakeTuple>(block.span, ExprList{extent_of(block.rows), extent_of(block.cols)});
  return tile_op("t", op, {tile, valid}, {}, block.span);
}

ExprRef TensorConverter::count_block(const Call& call, const TileBlock& block) {
  const Op& add_op = ops::pl::scalar::add;
  const Op& full = ops::pl::tile::full;
  const Op& arange = ops::pl::tile::arange;
  const TensorType& type = tensor_type_of(call);
  int64_t rank = static_cast<int64_t>(type.shape.size());
  int64_t axis = axis_of(call, -1, rank);
  bool over_lead = axis < rank - 2, over_rows = axis == rank - 2;
  ExprRef first = over_lead ? block.lead[axis] : over_rows ? block.rows.start : block.cols.start;
  ExprRef start = use(call.args[1]);
  if (constant_value(first) != 0) {
    ExprRef moved = ops::scalar_cast(first, type.dtype);
    start = constant_value(start) == 0 ? moved : call_op(add_op, {start, moved}, {}, call.span);
  }
  AttrList dtype{{"dtype", AttrValue{type.dtype}}};
  if (over_lead) return tile_op("t", full, {shape_of(block), start}, std::move(dtype), call.span);
  AttrList attrs{{"axis", AttrValue{int64_t{over_rows ? 0 : 1}}}};
  attrs.push_back(dtype[0]);
  return tile_op("t", arange, {shape_of(block), start}, std::move(attrs), call.span);
}

ExprRef TensorConverter::full_tile(int64_t rows, int64_t cols, const ExprRef& value, const Span& span) {
  const Op& full = ops::pl::tile::full;
  ExprRef shape = make<MakeTuple>(span, ExprList{const_index(rows), const_index(cols)});
  return tile_op("acc", full, {shape, value}, {{"dtype", AttrValue{*scalar_dtype(value->type)}}}, span);
}

ExprRef TensorConverter::reduce_block(const Call& call, const Op& op, const ExprRef& x,
                                      const TileBlock& block) {
  return tile_op("t", *op.counterpart, reduced(op, load_block(x, block)), {}, call.span);
}

void TensorConverter::reduce_rows(const Call& call, const Op& op, const ExprRef& out) {
  ExprRef x = memory_of(call.args[0], call.span);
  const TensorType& type = tensor_type_of(x);
  BlockSize size = block_size(type.shape, type.dtype, plan_.block_bytes());
  auto cols = constant_value(cols_of(type.shape));
  for_each_block(tensor_type_of(out).shape, size.rows, 1, call.span, [&](const TileBlock& block) {
    ExprRef result;
    if (cols) {  // a whole row is one tile, however long
      TileBlock source = block;
      source.cols = {const_index(0), *cols, nullptr};
      result = reduce_block(call, op, x, source);
    } else {
      result = cut(long_row(call, op, x, block, size.cols), block);
    }
    store_block(result, out, block);
  });
}

// A row of unknown length, from the best of what came before and the next part. Of equal elements the first
// counts, so that a later one must be better to take its place.
ExprRef TensorConverter::long_row(const Call& call, const Op& op, const ExprRef& x, const TileBlock& block,
                                  int64_t cols) {
  const Op& cmp = ops::pl::tile::cmp;
  const Op& sel = ops::pl::tile::sel;
  const Op& add_op = ops::pl::tile::add;
  const Span& span = call.span;
  const TensorType& type = tensor_type_of(x);
  bool position = op.form == OpForm::ArgRow;
  ExprList start{full_tile(block.rows.size, 1, neutral(op.kind, type.dtype, span), span)};
  if (position) {
    start.push_back(full_tile(block.rows.size, 1, make<ConstInt>(span, int64_t{0}, DType::Int32), span));
  }
  ExprList result = fold_steps(
      cols_of(type.shape), cols, "c", std::move(start), span,
      [&](const Extent& step, const ExprList& best) -> ExprList {
        TileBlock source = block;
        source.cols = step;
        if (!position) {
          return {tile_op("acc", joining(op), {best[0], reduce_block(call, op, x, source)}, {}, span)};
        }
        ExprRef part = load_block(x, source);
        ExprList args{part};
        args.resize(joining(op).operand_count);
        ExprRef value = tile_op("t", joining(op), args, {}, span);
        ExprRef at = tile_op("t", *op.counterpart, reduced(op, part), {}, span);
        at = tile_op("t", add_op, {at, ops::scalar_cast(step.start, DType::Int32)}, {}, span);
        AttrList better{{"op", AttrValue{enum_value(op.kind == Elementwise::Max ? CmpOp::Gt : CmpOp::Lt)}}};
        ExprRef mask = tile_op("t", cmp, {value, best[0]}, std::move(better), span);
        return {tile_op("acc", sel, {mask, value, best[0]}, {}, span),
                tile_op("acc", sel, {mask, at, best[1]}, {}, span)};
      });
  return result.back();
}

void TensorConverter::reduce_cols(const Call& call, const Op& op, const ExprRef& out) {
  ExprRef x = memory_of(call.args[0], call.span);
  const TensorType& type = tensor_type_of(x);
  BlockSize size = block_size(type.shape, type.dtype, plan_.block_bytes());
  auto rows = constant_value(rows_of(type.shape));
  int64_t limit = plan_.block_bytes() / bytes(type.dtype);
  bool whole = rows && *rows <= limit;  // each column in one go
  if (whole) size = {*rows, std::max<int64_t>(1, std::min(size.cols, limit / *rows))};
  for_each_block(tensor_type_of(out).shape, 1, size.cols, call.span, [&](const TileBlock& block) {
    TileBlock source = block;
    if (whole) {
      source.rows = {const_index(0), *rows, nullptr};
      return store_block(reduce_block(call, op, x, source), out, block);
    }
    ExprList start{full_tile(1, size.cols, neutral(op.kind, type.dtype, call.span), call.span)};
    ExprList result = fold_steps(
        rows_of(type.shape), size.rows, "r", std::move(start), call.span,
        [&](const Extent& step, const ExprList& best) -> ExprList {
          source.rows = step;
          return {tile_op("acc", joining(op), {best[0], reduce_block(call, op, x, source)}, {}, call.span)};
        });
    store_block(cut(result[0], block), out, block);
  });
}

}  // namespace tilewire::passes
