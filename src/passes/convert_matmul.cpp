// Matrix products of tensors larger than a tile.
#include <algorithm>

#include "ir/op.h"
#include "ops/handles.h"
#include "passes/tensor_converter.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// Edges of a block of a product: three such tiles of FP32 are 192 KiB.
constexpr int64_t edge = 128;

bool flag(const Call& call, const char* name) {
  const AttrValue* value = find_attr(call.attrs, name);
  return value && *value->get<bool>();
}

int64_t step_of(const ExprRef& extent) {
  return std::min(edge, constant_value(extent).value_or(edge));
}

}  // namespace

// Writes `a @ b`, plus `start` when given, to `out`; each block accumulates over the inner dimension.
void TensorConverter::matmul(const Call& call, const ExprRef& out, const ExprRef& start) {
  const Op& multiply = ops::pl::tile::matmul_acc;
  const Op& cast = ops::pl::tile::cast;
  const Op& add_row = ops::pl::tile::col_expand_add;
  const Span& span = call.span;
  const Op& op = *call.op;
  size_t first = op.form == OpForm::MatmulAcc ? 1 : 0;
  bool a_trans = flag(call, "a_trans"), b_trans = flag(call, "b_trans");
  ExprRef a = memory_of(call.args[first], span), b = memory_of(call.args[first + 1], span);
  ExprRef bias = op.form == OpForm::MatmulBias ? memory_of(call.args[2], span) : nullptr;
  const ExprList& shape = tensor_type_of(out).shape;
  const ExprList& left = tensor_type_of(a).shape;
  ExprRef inner = a_trans ? rows_of(left) : cols_of(left);
  DType sum = tensor_type_of(a).dtype == DType::Int8 ? DType::Int32 : DType::FP32;
  AttrList transposes;
  if (a_trans) transposes.push_back({"a_trans", AttrValue{true}});
  if (b_trans) transposes.push_back({"b_trans", AttrValue{true}});
  int64_t m = step_of(rows_of(shape)), n = step_of(cols_of(shape)), k = step_of(inner);
  for_each_block(shape, m, n, span, [&](const TileBlock& block) {
    ExprRef zero = sum == DType::FP32 ? ExprRef(make<ConstFloat>(span, 0.0, sum))
                                      : ExprRef(make<ConstInt>(span, int64_t{0}, sum));
    ExprRef acc = start ? load_block(start, block) : full_tile(m, n, zero, span);
    if (!start) acc = cut(acc, block);
    ExprList result =
        fold_steps(inner, k, "k", {acc}, span, [&](const Extent& step, const ExprList& sums) -> ExprList {
          TileBlock x = block, y = block;
          (a_trans ? x.cols : x.rows) = block.rows;
          (a_trans ? x.rows : x.cols) = step;
          (b_trans ? y.rows : y.cols) = block.cols;
          (b_trans ? y.cols : y.rows) = step;
          ExprRef ta = load_block(a, x), tb = load_block(b, y);
          return {tile_op("acc", multiply, {sums[0], ta, tb}, transposes, span)};
        });
    ExprRef tile = result[0];
    if (bias) {
      TileBlock row = block;
      row.lead.clear();
      row.rows = {const_index(0), 1, nullptr};
      tile = tile_op("t", add_row, {tile, load_block(bias, row)}, {}, span);
    }
    DType wanted = tensor_type_of(out).dtype;
    if (wanted != sum) tile = tile_op("t", cast, {tile}, {{"target_type", AttrValue{wanted}}}, span);
    store_block(tile, out, block);
  });
}

ExprRef TensorConverter::accumulate(const Call& call, const Op& op) {
  const Span& span = call.span;
  ExprRef acc = use(call.args[0]);
  bool fits = std::all_of(call.args.begin(), call.args.end(),
                          [this](const ExprRef& arg) { return !arg || plan_.fits(arg->type); });
  if (fits) {
    store_whole(whole(call, op, "t"), acc, span);
  } else if (may_overlap(call.args[1], call.args[0]) || may_overlap(call.args[2], call.args[0])) {
    const TensorType& type = tensor_type_of(acc);
    ExprRef product = create(type.shape, type.dtype, "product", span);
    matmul(call, product, acc);
    copy_blocks(product, acc, ExprList(type.shape.size(), const_index(0)), span);
  } else {
    matmul(call, acc, acc);
  }
  return acc;
}

}  // namespace tilewire::passes
