// Gather, scatter and sorting.
#include "ir/printer.h"
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

bool check_index_dtype(OpCheck& c) {
  DType dtype = *c.dtype("index");
  if (dtype == DType::Int32 || dtype == DType::UInt32 || dtype == DType::Int64) return true;
  Diagnostic& d = c.error(diag::index_dtype, "index", {c.op.qualified(), name_of(dtype)});
  d.with_help("convert it: pl.cast(" + written_at(d, c, "index") + ", pl.INT32)");
  return false;
}

// `index` and `x` agree in rank and in every dimension but the axis.
bool check_index_shape(OpCheck& c, const Shaped& x, const Shaped& index, size_t axis) {
  if (index.shape->size() != x.shape->size()) {
    c.error(diag::rank_not_equal, "index",
            {c.op.qualified(), std::to_string(x.shape->size()), std::to_string(index.shape->size())});
    return false;
  }
  for (size_t i = 0; i < x.shape->size(); ++i) {
    if (i == axis || may_equal((*x.shape)[i], (*index.shape)[i])) continue;
    c.error(diag::index_shape, "index",
            {c.op.qualified(), "`index`", "`x`", std::to_string(i), to_string((*index.shape)[i]),
             to_string((*x.shape)[i])});
    return false;
  }
  return true;
}

TypeRef gather_rule(OpCheck& c) {
  auto x = *shaped(c.arg("x"));
  auto index = *shaped(c.arg("index"));
  bool good = check_index_dtype(c);
  auto axis = checked_axis(c, "axis", x.shape->size());
  if (!axis || !check_index_shape(c, x, index, *axis) || !good) return nullptr;
  return value_type(x.is_tile, *index.shape, x.dtype);
}

TypeRef scatter_rule(OpCheck& c) {
  auto x = *shaped(c.arg("x"));
  auto index = *shaped(c.arg("index"));
  auto src = *shaped(c.arg("src"));
  bool good = check_index_dtype(c);
  if (src.dtype != x.dtype) good = check_same_dtype(c, "x", "src") && good;
  if (!may_equal(*index.shape, *src.shape)) good = check_same_shape(c, "index", "src") && good;
  auto axis = checked_axis(c, "axis", x.shape->size());
  if (!axis || !check_index_shape(c, x, index, *axis) || !good) return nullptr;
  return x.is_tile ? computed_type(c.arg("x")->type) : c.arg("x")->type;
}

// --- sorting

bool check_sortable(OpCheck& c) {
  DType dtype = c.tile("x")->dtype;
  if (dtype == DType::FP32 || dtype == DType::FP16) return true;
  Diagnostic& d = c.error(diag::dtype_not_allowed, "x", {c.op.qualified(), name_of(dtype)});
  d.with_help("it sorts FP32 and FP16: convert it, pl.cast(" + written_at(d, c, "x") + ", pl.FP32)");
  return false;
}

TypeRef sorted_pair(OpCheck& c) {
  const TileType& x = *c.tile("x");
  TypeRef index =
      c.has("index") ? computed_type(c.arg("index")->type) : value_type(true, x.shape, DType::Int32);
  return make<TupleType>(Span{}, std::vector<TypeRef>{computed_type(c.arg("x")->type), index});
}

bool check_labels(OpCheck& c) {
  if (!c.has("index")) return true;
  bool good = check_index_dtype(c);
  return check_same_shape(c, "x", "index") && good;
}

TypeRef sort32_rule(OpCheck& c) {
  bool good = check_sortable(c);
  good = check_labels(c) && good;
  int64_t cols = c.tile("x")->cols();
  if (cols % 32 != 0) {
    c.error(diag::sort_width, "x", {c.op.qualified(), "32", std::to_string(cols)})
        .with_help("load with a wider shape and fill up: pl.fillpad(x, pad=pl.PadValue.Min)");
    good = false;
  }
  return good ? sorted_pair(c) : nullptr;
}

TypeRef mrgsort_rule(OpCheck& c) {
  bool good = check_sortable(c);
  good = check_labels(c) && good;
  int64_t cols = c.tile("x")->cols();
  int64_t run = *c.attr("block_len")->get<int64_t>();
  int64_t legal = 32;
  while (legal < run && legal <= cols / 4) legal *= 4;
  if (run != legal || run >= cols) {
    c.error(diag::merge_block, "block_len", {std::to_string(run)});
    return nullptr;
  }
  if (cols % run != 0) {
    c.error(diag::sort_width, "x", {c.op.qualified(), std::to_string(run), std::to_string(cols)});
    good = false;
  }
  return good ? sorted_pair(c) : nullptr;
}

TypeRef cumsum_rule(OpCheck& c) {
  if (!checked_axis(c, "axis", 2) || !check_dtype(c, "x", *c.dtype("x"), numbers)) return nullptr;
  return computed_type(c.args[0]->type);
}

void define_index(std::vector<Op>& ops, bool tensor) {
  const std::string family = tensor ? "tensor." : "tile.";
  const std::string noun = tensor ? "tensor" : "tile";
  const uint16_t accepts = tensor ? AcceptTensor : AcceptTile;
  Define gather(ops, "pl", family + "gather",
                "Picks elements along one axis, as NumPy's take_along_axis: with axis 1, out[i, j] = x[i, "
                "index[i, j]].");
  gather.operand("x", accepts, Data, "Where the elements are taken from.")
      .operand("index", accepts, Address,
               "Their positions along the axis: INT32, UINT32 or INT64, with the extents of `x` in the other "
               "dimensions.")
      .attr("axis", AttrKind::Int, "The axis; negative ones count from the end.")
      .by_default({int64_t{-1}})
      .form(OpForm::Gather)
      .result("A " + noun + " of the shape of `index` and the dtype of `x`.")
      .rule(gather_rule);
  Define scatter(ops, "pl", family + "scatter",
                 "Puts elements at positions along one axis, as NumPy's put_along_axis: with axis 1, "
                 "x[i, index[i, j]] = src[i, j]. Of equal positions the last one counts.");
  scatter.operand("x", accepts, Data, "What is written to.")
      .operand("index", accepts, Address,
               "The positions along the axis: INT32, UINT32 or INT64, with the extents of `x` in the other "
               "dimensions.")
      .operand("src", accepts, Data, "The elements, of the shape of `index` and the dtype of `x`.")
      .attr("axis", AttrKind::Int, "The axis; negative ones count from the end.")
      .by_default({int64_t{-1}})
      .form(OpForm::Scatter)
      .result(tensor ? "`x`, written in place." : "A tile of the shape and dtype of `x`.")
      .rule(scatter_rule);
  if (!tensor) return;
  gather.effect(Access::Read, "x").effect(Access::Read, "index");
  scatter.effect(Access::Read, "index").effect(Access::Read, "src").effect(Access::Write, "x").rebinds("x");
}

}  // namespace

void define_index_sort(std::vector<Op>& ops) {
  define_index(ops, false);
  define_index(ops, true);
  Define(ops, "pl", "tile.sort32",
         "Sorts every run of 32 elements of every row, the largest first, and takes labels along. Equal "
         "elements keep "
         "their order. `pl.mrgsort` merges the runs: sort, merge, and take the first k columns for a top-k.")
      .operand("x", AcceptTile, Data, "The tile, FP32 or FP16, with a multiple of 32 columns.")
      .operand("index", AcceptTile, Data,
               "Labels of the elements, of the shape of `x`: INT32, UINT32 or INT64. Left out: the column "
               "numbers, INT32.")
      .optional()
      .result("The sorted tile and the labels in the same order, a tuple.")
      .rule(sort32_rule);
  Define(ops, "pl", "tile.mrgsort",
         "Merges sorted runs of every row by fours, the largest first, and takes labels along. Runs of "
         "`block_len` "
         "become runs of 4 * block_len, the last one of a row shorter where the row ends.")
      .operand("x", AcceptTile, Data,
               "A tile of sorted runs, FP32 or FP16, with a multiple of `block_len` columns.")
      .operand("index", AcceptTile, Data,
               "Labels of the elements, of the shape of `x`: INT32, UINT32 or INT64.")
      .attr("block_len", AttrKind::Int, "The length of the sorted runs: 32, 128, 512, ..., below the row.")
      .by_default({int64_t{32}})
      .result("The merged tile and the labels in the same order, a tuple.")
      .rule(mrgsort_rule);
  Define(
      ops, "pl", "tile.cumsum",
      "The sum of every element and those before it along one axis, as NumPy's cumsum. Floats are added in "
      "FP32 from the first to the last, and each sum is rounded once; integers wrap.")
      .operand("x", AcceptTile, Data, "The tile.")
      .attr("axis", AttrKind::Int, "The axis; negative ones count from the end.")
      .by_default({int64_t{-1}})
      .result("A tile of the same shape and dtype.")
      .rule(cumsum_rule);
}

}  // namespace tilewire::ops
