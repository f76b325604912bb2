#include "passes/block_loops.h"

#include <algorithm>

#include "ir/op.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "passes/tensor_type.h"
#include "passes/tile_plan.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// Blocks of dimensions whose extent is not known have this many columns at most.
constexpr int64_t unknown_cols = 1024;

bool is_part(const Extent& extent) {
  return extent.valid != nullptr;
}

ExprRef extent_expr(const Extent& extent) {
  return extent.valid ? extent.valid : ExprRef(const_index(extent.size));
}

}  // namespace

ExprRef rows_of(const ExprList& shape) {
  return shape.size() < 2 ? ExprRef(const_index(1)) : shape[shape.size() - 2];
}

ExprRef cols_of(const ExprList& shape) {
  return shape.back();
}

BlockSize block_size(const ExprList& shape, DType dtype, int64_t most) {
  int64_t limit = most / bytes(dtype);
  auto rows = constant_value(rows_of(shape)), cols = constant_value(cols_of(shape));
  BlockSize size;
  size.cols = std::max<int64_t>(1, std::min(cols.value_or(unknown_cols), limit));
  size.rows = std::max<int64_t>(1, std::min(rows.value_or(limit), limit / size.cols));
  return size;
}

VarRef BlockLoops::tile_op(const char* name, const Op& op, ExprList args, AttrList attrs, const Span& span) {
  return assign_new(name, call_op(op, std::move(args), std::move(attrs), span), span);
}

ExprList BlockLoops::fold_steps(const ExprRef& extent, int64_t size, const char* name, ExprList start,
                                const Span& span,
                                const std::function<ExprList(const Extent&, const ExprList&)>& body) {
  auto known = constant_value(extent);
  if (known && *known <= size) {
    Extent whole{const_index(0), size, nullptr};
    if (*known < size) whole.valid = const_index(*known);
    return body(whole, start);
  }
  ExprRef end = ops::scalar_cast(extent, DType::Index);
  at(span);
  return reduce(name, const_index(0), end, const_index(size), std::move(start),
                [&](const VarRef& round, const ExprList& carried) {
                  Extent step{round, size, nullptr};
                  if (size > 1 && (!known || *known % size != 0))
                    step.valid = rest_of(end, round, size, span);
                  return body(step, carried);
                });
}

// How much of a step that starts `at` is there.
ExprRef BlockLoops::rest_of(const ExprRef& end, const ExprRef& at, int64_t size, const Span& span) {
  const Op& minimum = ops::pl::scalar::min;
  const Op& minus = ops::pl::scalar::sub;
  ExprRef rest = call_op(minus, {end, at}, {}, span);
  return assign_new("valid", call_op(minimum, {rest, const_index(size)}, {}, span), span);
}

void BlockLoops::for_each_step(const ExprRef& extent, int64_t size, const char* name, const Span& span,
                               const std::function<void(const Extent&)>& body) {
  fold_steps(extent, size, name, {}, span, [&](const Extent& step, const ExprList&) -> ExprList {
    body(step);
    return {};
  });
}

void BlockLoops::over_lead(const ExprList& shape, size_t dim, TileBlock& block,
                           const std::function<void()>& body) {
  if (dim + 2 >= shape.size()) return body();
  for_each_step(shape[dim], 1, "i", block.span, [&](const Extent& index) {
    block.lead.push_back(index.start);
    over_lead(shape, dim + 1, block, body);
    block.lead.pop_back();
  });
}

void BlockLoops::for_each_block(const ExprList& shape, int64_t rows, int64_t cols, const Span& span,
                                const Body& body) {
  TileBlock block;
  block.span = span;
  over_lead(shape, 0, block, [&] {
    for_each_step(rows_of(shape), rows, "r", span, [&](const Extent& row) {
      for_each_step(cols_of(shape), cols, "c", span, [&](const Extent& col) {
        block.rows = row;
        block.cols = col;
        body(block);
      });
    });
  });
}

ExprRef BlockLoops::load_block(const ExprRef& tensor, const TileBlock& block) {
  const Op& load = ops::pl::tile::load;
  size_t rank = tensor_type_of(tensor).shape.size();
  ExprList offsets, shape, valid;
  if (rank >= 2) {
    offsets = block.lead;
    shape.assign(rank - 2, const_index(1));
    valid = shape;
    offsets.push_back(block.rows.start);
    shape.push_back(const_index(block.rows.size));
    valid.push_back(extent_expr(block.rows));
  }
  offsets.push_back(block.cols.start);
  shape.push_back(const_index(block.cols.size));
  valid.push_back(extent_expr(block.cols));
  bool part = is_part(block.cols) || (rank >= 2 && is_part(block.rows));
  auto list = [&](ExprList& elements) { return make<MakeTuple>(block.span, std::move(elements)); };
  ExprList args{tensor, list(offsets), list(shape), part ? ExprRef(list(valid)) : nullptr};
  return tile_op("t", load, std::move(args), {}, block.span);
}

void BlockLoops::store_block(const ExprRef& tile, const ExprRef& tensor, const TileBlock& block) {
  const Op& store = ops::pl::tile::store;
  size_t rank = tensor_type_of(tensor).shape.size();
  ExprList offsets;
  if (rank >= 2) {
    offsets = block.lead;
    offsets.push_back(block.rows.start);
  }
  offsets.push_back(block.cols.start);
  ExprRef at = make<MakeTuple>(block.span, std::move(offsets));
  emit(make<Eval>(block.span, call_op(store, {tile, at, tensor}, {}, block.span)));
}

ExprRef BlockLoops::load_whole(const ExprRef& tensor, const Span& span) {
  const ExprList& shape = tensor_type_of(tensor).shape;
  TileBlock block;
  block.span = span;
  for (size_t i = 0; i + 2 < shape.size(); ++i) block.lead.push_back(const_index(0));
  block.rows = {const_index(0), *constant_value(rows_of(shape)), nullptr};
  block.cols = {const_index(0), *constant_value(cols_of(shape)), nullptr};
  return load_block(tensor, block);
}

}  // namespace tilewire::passes
