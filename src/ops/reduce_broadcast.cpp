// Reductions of rows and columns, and the broadcasts that undo them.
#include "ir/expansion.h"
#include "ops/broadcast.h"
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "ops/handles.h"
#include "ops/levels.h"
#include "ops/registry.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

// A row is the last dimension, a column the one before it.
size_t axis_of(bool row, size_t rank) {
  return row ? rank - 1 : rank - 2;
}

struct Reduction {
  const char* name;
  const char* doc;
  Elementwise kind;
  OpForm form;
};

const Reduction reductions[] = {
    {"row_sum", "The sum of every row.", Elementwise::Add, OpForm::ReduceRow},
    {"row_max", "The largest element of every row.", Elementwise::Max, OpForm::ReduceRow},
    {"row_min", "The smallest element of every row.", Elementwise::Min, OpForm::ReduceRow},
    {"col_sum", "The sum of every column.", Elementwise::Add, OpForm::ReduceCol},
    {"col_max", "The largest element of every column.", Elementwise::Max, OpForm::ReduceCol},
    {"col_min", "The smallest element of every column.", Elementwise::Min, OpForm::ReduceCol},
    {"row_prod", "The product of every row.", Elementwise::Mul, OpForm::ReduceRow},
    {"col_prod", "The product of every column.", Elementwise::Mul, OpForm::ReduceCol},
    {"row_argmax", "The position of the largest element of every row, the first one of equals.",
     Elementwise::Max, OpForm::ArgRow},
    {"row_argmin", "The position of the smallest element of every row, the first one of equals.",
     Elementwise::Min, OpForm::ArgRow},
};

TypeRef reduce_rule(OpCheck& c, bool row, bool index) {
  auto x = shaped(c.args[0]);
  size_t rank = x->shape->size();
  if (rank < 2) {
    c.error(diag::rank_too_small, "x", {c.op.qualified(), "2", std::to_string(rank)})
        .with_help("reshape it to two dimensions first: pl.reshape(x, [1, n])");
    return nullptr;
  }
  if (!check_dtype(c, "x", x->dtype, numbers)) return nullptr;
  ExprList shape = *x->shape;
  shape[axis_of(row, rank)] = const_index(1);
  return value_type(x->is_tile, std::move(shape), index ? DType::Int32 : x->dtype);
}

void define_reduction(std::vector<Op>& ops, const Level& level, const Reduction& r) {
  const std::string noun = level.noun;
  Define def(ops, "pl", level.family + std::string(r.name), r.doc);
  def.operand("x", level.accepts, Data, "The " + noun + " that is reduced.");
  if (level.accepts == AcceptTile) {
    def.operand("scratch", AcceptTile, Data,
                "A tile the target may use as working space; its contents are lost.")
        .optional();
    def.op().scratch = 1;
  }
  const bool row = r.form != OpForm::ReduceCol, index = r.form == OpForm::ArgRow;
  std::string shape = row ? "[r, 1]" : "[1, c]";
  def.form(r.form).computes(r.kind);
  def.result("A " + noun + " of shape " + shape + (index ? " and dtype INT32." : " and the same dtype."));
  def.rule([row, index](OpCheck& c) { return reduce_rule(c, row, index); });
  if (level.accepts == AcceptTensor) def.effect(Access::Read, "x");
}

// `pl.sum(x, axis=1)`: the reductions under the names and with the axis of NumPy.
struct AlongAxis {
  const char* name;
  const char* doc;
  const Handle& row;
  const Handle& col;
};
const AlongAxis along_axis[] = {
    {"sum", "The sum along an axis.", pl::tile::row_sum, pl::tile::col_sum},
    {"max", "The largest element along an axis. Of two scalars `pl.max(a, b)` is the larger.",
     pl::tile::row_max, pl::tile::col_max},
    {"min", "The smallest element along an axis. Of two scalars `pl.min(a, b)` is the smaller.",
     pl::tile::row_min, pl::tile::col_min},
};

// Whether `axis` is the last one, so that rows are reduced; nothing after reporting another than the last
// two.
std::optional<bool> reduces_rows(OpCheck& c, size_t rank) {
  auto axis = checked_axis(c, "axis", rank);
  if (!axis) return std::nullopt;
  if (*axis + 2 >= rank) return *axis + 1 == rank;
  c.error(diag::op_operand_class, "axis",
          {c.op.qualified(), "one of the last two axes", "axis", std::to_string(*axis)})
      .with_help("transpose the tensor first, or reduce slices of two dimensions");
  return std::nullopt;
}

TypeRef along_axis_rule(OpCheck& c) {
  const size_t rank = shaped(c.args[0])->shape->size();
  auto row = rank < 2 ? std::optional(true) : reduces_rows(c, rank);
  return row ? reduce_rule(c, *row, false) : nullptr;
}

ExprRef reduced_along_axis(Expansion& e, const AlongAxis& reduction) {
  const ExprRef& x = e.arg("x");
  const auto rank = static_cast<int64_t>(shaped(x)->shape->size());
  const int64_t axis = *e.attr("axis")->get<int64_t>();
  return e.op((axis < 0 ? axis + rank : axis) + 1 == rank ? reduction.row : reduction.col, {x});
}

void define_along_axis(std::vector<Op>& ops, const Level& level, const AlongAxis& reduction) {
  const std::string noun = level.noun;
  Define def(ops, "pl", level.family + std::string(reduction.name), reduction.doc);
  def.operand("x", level.accepts, Data, "The " + noun + " that is reduced.")
      .attr("axis", AttrKind::Int, "The axis that is reduced to 1: -1 or the last for rows, -2 for columns.")
      .result("A " + noun + " of the same dtype and number of dimensions, [r, 1] or [1, c].")
      .rule(along_axis_rule)
      .expands([&reduction](Expansion& e) { return reduced_along_axis(e, reduction); });
  if (level.tensors()) def.effect(Access::Read, "x");
}

// `vector` is a column [.., r, 1] (row forms) or a row [.., 1, c] (column forms) that fits `full`.
bool check_vector(OpCheck& c, bool row, const char* name, const ExprList& vector, const ExprList& full) {
  size_t rank = full.size();
  bool good = vector.size() == rank && rank >= 2;
  for (size_t i = 0; good && i < rank; ++i) {
    auto extent = constant_value(vector[i]);
    good = i == axis_of(row, rank) ? extent == 1 : may_equal(vector[i], full[i]);
  }
  if (good) return true;
  std::string wanted = "?";
  if (rank >= 2) {
    ExprList shape = full;
    shape[axis_of(row, rank)] = const_index(1);
    wanted = shape_text(shape);
  }
  c.error(diag::expand_vector, name,
          {c.op.qualified(), row ? "a column" : "a row", wanted, shape_text(full), shape_text(vector)});
  return false;
}

TypeRef expand_rule(OpCheck& c, bool row) {
  auto x = shaped(c.args[0]);
  if (x->is_tile ? !checked_new_tile_shape(c, "shape") : !check_tensor_shape(c, "shape")) return nullptr;
  const ExprList& shape = c.list("shape");
  if (!check_vector(c, row, "x", *x->shape, shape)) return nullptr;
  return value_type(x->is_tile, shape, x->dtype);
}

TypeRef fused_rule(OpCheck& c, bool row, const DTypeSet& allowed) {
  auto a = shaped(c.args[0]);
  auto b = shaped(c.args[1]);
  if (a->dtype != b->dtype) check_same_dtype(c, "a", "b");
  check_vector(c, row, "b", *b->shape, *a->shape);
  if (c.failed() || !check_dtype(c, "a", a->dtype, allowed)) return nullptr;
  return computed_type(c.args[0]->type);
}

// Binary op, suffix of its fused forms, what they do.
struct Fused {
  Elementwise kind;
  const char* suffix;
  const char* text;
};
const Fused fused[] = {
    {Elementwise::Add, "add", "The sum of `a` and"},
    {Elementwise::Sub, "sub", "The difference of `a` and"},
    {Elementwise::Mul, "mul", "The product of `a` and"},
    {Elementwise::Div, "div", "The quotient of `a` and"},
    {Elementwise::Max, "max", "The larger of `a` and"},
    {Elementwise::Min, "min", "The smaller of `a` and"},
};

void define_expansion(std::vector<Op>& ops, const Level& level, bool row) {
  const std::string noun = level.noun;
  const std::string prefix = level.family + std::string(row ? "row_expand" : "col_expand");
  const std::string vector_doc = row ? "A column of shape [r, 1]." : "A row of shape [1, c].";
  const std::string spread = row ? "the column `b`, repeated over the columns, element by element."
                                 : "the row `b`, repeated over the rows, element by element.";
  bool tensor = level.accepts == AcceptTensor;
  Define plain(ops, "pl", prefix,
               row ? "Repeats a column over all columns." : "Repeats a row over all rows.");
  plain.operand("x", level.accepts, Data, vector_doc)
      .list("shape", AcceptInt, Extent, "The shape of the result, [r, c].")
      .form(row ? OpForm::ExpandRow : OpForm::ExpandCol)
      .result("A " + noun + " of shape `shape` and the same dtype.")
      .rule([row](OpCheck& c) { return expand_rule(c, row); });
  if (tensor) plain.effect(Access::Read, "x");
  for (const Fused& f : fused) {
    Define def(ops, "pl", prefix + "_" + f.suffix, std::string(f.text) + " " + spread);
    def.operand("a", level.accepts, Data, "A " + noun + " of shape [r, c].")
        .operand("b", level.accepts, Data, vector_doc)
        .form(row ? OpForm::MapRow : OpForm::MapCol)
        .computes(f.kind, f.kind == Elementwise::Div ? slow : 1)
        .result("A " + noun + " of the shape and dtype of `a`.")
        .rule([row](OpCheck& c) { return fused_rule(c, row, numbers); });
    if (tensor) def.effect(Access::Read, "a").effect(Access::Read, "b");
  }
  Define power(ops, "pl", prefix + "_expdif", "exp of the difference of `a` and " + spread);
  power.operand("a", level.accepts, Data, "A " + noun + " of shape [r, c].")
      .operand("b", level.accepts, Data, vector_doc)
      .form(row ? OpForm::MapRow : OpForm::MapCol)
      .result("A " + noun + " of the shape and dtype of `a`.")
      .rule([row](OpCheck& c) { return fused_rule(c, row, floats); })
      .expands([row](Expansion& e) {
        const Op& difference = row ? pl::tile::row_expand_sub : pl::tile::col_expand_sub;
        return e.op(pl::tile::exp, {e.op(difference, {e.arg("a"), e.arg("b")})});
      });
  if (tensor) power.effect(Access::Read, "a").effect(Access::Read, "b");
}

}  // namespace

void define_reduce_broadcast(std::vector<Op>& ops) {
  for (const Level& level : levels) {
    for (const Reduction& reduction : reductions) define_reduction(ops, level, reduction);
    for (const AlongAxis& reduction : along_axis) define_along_axis(ops, level, reduction);
    define_expansion(ops, level, true);
    define_expansion(ops, level, false);
  }
}

const Op* expanded_form(const Op& op, const TileType& a, const TileType& b) {
  const Op* plain = expansion(b, a);
  if (!plain || op.form != OpForm::Map || op.kind == Elementwise::None) return nullptr;
  return registry().on_tiles(plain->form == OpForm::ExpandRow ? OpForm::MapRow : OpForm::MapCol, op.kind);
}

const Op* expansion(const TileType& vector, const TileType& full) {
  int64_t rows = full.rows(), cols = full.cols();
  if (vector.rows() == rows && vector.cols() == cols) return nullptr;
  if (vector.rows() == rows && vector.cols() == 1) return &*pl::tile::row_expand;
  if (vector.rows() == 1 && vector.cols() == cols) return &*pl::tile::col_expand;
  return nullptr;
}

}  // namespace tilewire::ops
