// Parts of tiles, other shapes, valid extents. Each works on tiles in memory and produces a new one.
#include "ir/op.h"
#include "numeric/numeric.h"
#include "ops/handles.h"
#include "target/cpu/arithmetic.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

namespace {

const TileType& tile_type(const ExprRef& expr) {
  return static_cast<const TileType&>(*expr->type);
}

int64_t int_attr(const Call& call, const char* name, int64_t fallback) {
  const AttrValue* value = find_attr(call.attrs, name);
  return value ? *value->get<int64_t>() : fallback;
}

// Checks that a part lies inside a tile of a known shape.
void check_part(FunctionEmitter& e, const Call& call, std::span<Value* const> offsets, int64_t rows,
                int64_t cols, const TileType& whole) {
  int64_t asked[] = {rows, cols};
  int64_t shape[] = {whole.rows(), whole.cols()};
  for (int i = 0; i < 2; ++i) {
    e.fail_if(e.b.CreateICmpUGT(offsets[i], e.i64(shape[i] - asked[i])), abi::Fault::RegionOutOfRange, call,
              {offsets[i], e.i64(asked[i]), e.i64(i), e.i64(shape[i])});
  }
}

TileView shifted(FunctionEmitter& e, TileView view, DType dtype, std::span<Value* const> offsets) {
  view.data = e.address(view, dtype, offsets[0], offsets[1]);
  return view;
}

void extract(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  const PlanValue& v = e.plan.values[results[0]];
  const TileView& from = e.tile(call.args[0]);
  std::vector<Value*> offsets = e.indices(call.args[2]);
  check_part(e, call, offsets, v.rows, v.cols, tile_type(call.args[0]));
  auto left = [&](Value* valid, Value* offset, int64_t extent) {
    return e.minimum(e.maximum(e.b.CreateSub(valid, offset), e.i64(0)), e.i64(extent));
  };
  TileView part = shifted(e, from, v.dtype, offsets);
  part.rows = left(from.rows, offsets[0], v.rows);
  part.cols = left(from.cols, offsets[1], v.cols);
  TileView to = e.storage(results[0]);
  to.rows = part.rows;
  to.cols = part.cols;
  e.copy_tile(v.dtype, part, to);
  e.view(results[0]) = to;
}

void assemble(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  const TileType& part_type = tile_type(call.args[1]);
  std::vector<Value*> offsets = e.indices(call.args[2]);
  check_part(e, call, offsets, part_type.rows(), part_type.cols(), tile_type(call.args[0]));
  TileView to = e.take_over(call.args[0], results[0]);
  e.copy_tile(part_type.dtype, e.tile(call.args[1]), shifted(e, to, part_type.dtype, offsets));
  e.view(results[0]) = to;
}

// The elements in row-major order under another shape: possible when the valid ones are the first ones.
void reshape(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  const TileType& from_type = tile_type(call.args[0]);
  const PlanValue& v = e.plan.values[results[0]];
  TileView from = e.tile(call.args[0]);
  Value* whole_rows = e.b.CreateICmpEQ(from.cols, e.i64(from_type.cols()));
  Value* one_row = e.b.CreateICmpEQ(from.rows, e.i64(1));
  Value* count = e.b.CreateMul(from.rows, from.cols);
  Value* none = e.b.CreateICmpEQ(count, e.i64(0));
  Value* beginning = e.b.CreateOr(none, e.b.CreateOr(whole_rows, one_row));
  Value* fits = e.b.CreateOr(e.b.CreateICmpEQ(e.b.CreateURem(count, e.i64(v.cols)), e.i64(0)),
                             e.b.CreateICmpSLE(count, e.i64(v.cols)));
  e.fail_if(e.b.CreateNot(e.b.CreateAnd(beginning, fits)), abi::Fault::RaggedExtent, call,
            {from.rows, from.cols});
  TileView to = e.storage(results[0]);
  // The same memory, seen with the rows it has; then with the new ones.
  TileView as_was = to;
  as_was.row_stride = e.i64(from_type.cols());
  as_was.rows = from.rows;
  as_was.cols = from.cols;
  int operand = e.tile_id(call.args[0]);
  bool in_place = e.plan.values[operand].memory && e.plan.values[operand].web == v.web;
  if (!in_place) e.copy_tile(v.dtype, from, as_was);
  Value* part_of_row = e.b.CreateICmpSLT(count, e.i64(v.cols));
  to.rows =
      e.b.CreateSelect(part_of_row, e.b.CreateZExt(e.b.CreateICmpSGT(count, e.i64(0)), e.b.getInt64Ty()),
                       e.b.CreateUDiv(count, e.i64(v.cols)));
  to.cols = e.b.CreateSelect(part_of_row, count, e.i64(v.cols));
  e.view(results[0]) = to;
}

void transpose(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  auto axis = [&](const char* name, int64_t fallback) {
    int64_t value = int_attr(call, name, fallback);
    return value < 0 ? value + 2 : value;
  };
  TileView from = e.tile(call.args[0]);
  if (axis("axis1", -2) != axis("axis2", -1)) {
    std::swap(from.rows, from.cols);
    std::swap(from.row_stride, from.col_stride);
  }
  TileView to = e.storage(results[0]);
  to.rows = from.rows;
  to.cols = from.cols;
  e.copy_tile(e.plan.values[results[0]].dtype, from, to);
  e.view(results[0]) = to;
}

void concat(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  const auto& parts = static_cast<const MakeTuple&>(*call.args[0]).elements;
  const PlanValue& v = e.plan.values[results[0]];
  bool by_column = (int_attr(call, "axis", 0) + 2) % 2 == 1;
  TileView to = e.storage(results[0]);
  Value* across = e.i64(by_column ? v.rows : v.cols);
  Value* along = e.i64(0);
  Value* ragged = e.b.getFalse();
  int64_t at = 0;
  for (const ExprRef& part : parts) {
    const TileView& x = e.tile(part);
    int64_t extent = by_column ? tile_type(part).cols() : tile_type(part).rows();
    Value* valid = by_column ? x.cols : x.rows;
    Value* some = e.b.CreateICmpSGT(valid, e.i64(0));
    e.fail_if(e.b.CreateAnd(some, ragged), abi::Fault::RaggedExtent, call, {x.rows, x.cols});
    along = e.b.CreateSelect(some, e.b.CreateAdd(e.i64(at), valid), along);
    ragged = e.b.CreateOr(ragged, e.b.CreateICmpSLT(valid, e.i64(extent)));
    across = e.minimum(by_column ? x.rows : x.cols, across);
    at += extent;
  }
  at = 0;
  for (const ExprRef& part : parts) {
    TileView x = e.tile(part);
    (by_column ? x.rows : x.cols) = across;
    Value* offsets[] = {e.i64(by_column ? 0 : at), e.i64(by_column ? at : 0)};
    e.copy_tile(v.dtype, x, shifted(e, to, v.dtype, offsets));
    at += by_column ? tile_type(part).cols() : tile_type(part).rows();
  }
  to.rows = by_column ? across : along;
  to.cols = by_column ? along : across;
  e.view(results[0]) = to;
}

void set_valid_shape(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  const PlanValue& v = e.plan.values[results[0]];
  std::vector<Value*> valid = e.indices(call.args[1]);
  Value* rows = e.extent_operand(valid[0], v.rows, 0, call);
  Value* cols = e.extent_operand(valid[1], v.cols, 1, call);
  TileView to = e.take_over(call.args[0], results[0]);
  to.rows = rows;
  to.cols = cols;
  e.view(results[0]) = to;
}

// The largest and smallest finite values of floats.
llvm::Constant* pad_value(DType dtype, PadValue pad, llvm::Type* type) {
  if (pad == PadValue::Zero) return llvm::Constant::getNullValue(type);
  if (!is_float(dtype)) return pad == PadValue::Max ? highest(type, dtype) : lowest(type, dtype);
  double value = numeric::round_float(dtype, 1e300, RoundMode::Trunc);
  return llvm::ConstantFP::get(type, pad == PadValue::Max ? value : -value);
}

void fill_padding(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  const PlanValue& v = e.plan.values[results[0]];
  const AttrValue* attr = find_attr(call.attrs, "pad");
  PadValue pad = attr ? static_cast<PadValue>(attr->get<EnumValue>()->value) : PadValue::Zero;
  TileView to = e.take_over(call.args[0], results[0]);
  TileView whole = e.storage(results[0]);
  Value* element = pad_value(v.dtype, pad, register_type(e.module.context, v.dtype, 0));
  // The missing part of the valid rows, then the rows after them.
  e.when(e.b.CreateICmpSLT(to.cols, whole.cols), [&] {
    TileView right = to;
    right.data = e.address(to, v.dtype, e.i64(0), to.cols);
    right.cols = e.b.CreateSub(whole.cols, to.cols);
    e.fill(right, v.dtype, [&](Registers& r) { return r.splat(element); });
  });
  e.when(e.b.CreateICmpSLT(to.rows, whole.rows), [&] {
    TileView below = whole;
    below.data = e.address(whole, v.dtype, to.rows, e.i64(0));
    below.rows = e.b.CreateSub(whole.rows, to.rows);
    e.fill(below, v.dtype, [&](Registers& r) { return r.splat(element); });
  });
  e.view(results[0]) = whole;
}

}  // namespace

void add_shape_lowerings(LoweringTable& table) {
  auto add = [&](const Op& op, OpaqueFn function, int updates) {
    Lowering lowering;
    lowering.opaque = function;
    lowering.updates = static_cast<int8_t>(updates);
    table.add(op, lowering);
  };
  add(ops::pl::tile::extract, extract, -1);
  add(ops::pl::tile::assemble, assemble, 0);
  add(ops::pl::tile::reshape, reshape, 0);
  add(ops::pl::tile::transpose, transpose, -1);
  add(ops::pl::tile::concat, concat, -1);
  add(ops::pl::tile::set_validshape, set_valid_shape, 0);
  add(ops::pl::tile::fillpad, fill_padding, 0);
}

}  // namespace tilewire::target::cpu
