// Reductions of rows and columns, and what repeats a column or a row over a tile.
#include <limits>

#include "ops/handles.h"
#include "target/pto/convert.h"
#include "target/pto/emitter.h"
#include "target/pto/rules.h"
#include "target/pto/tile_math.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

const char* suffix_of(Elementwise kind) {
  switch (kind) {
    case Elementwise::Add:
      return "sum";
    case Elementwise::Mul:
      return "prod";
    case Elementwise::Max:
      return "max";
    default:
      return "min";
  }
}

// Sums and products of floats are taken in f32 and rounded once.
Domain reduced_in(DType dtype, Elementwise kind) {
  const bool adds_up = kind == Elementwise::Add || kind == Elementwise::Mul;
  return adds_up ? wide_domain_of(dtype) : domain_of(dtype);
}

// The rows of `x`, which is none, into the column `to`.
void reduce_rows(FunctionEmitter& e, const std::string& name, const Tile& x, const Tile& to) {
  e.op(name, {x, e.temporary_like(x)}, to);
}

void reduce(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const DType dtype = *dtype_of(call);
  const bool rows = call.op->form == OpForm::ReduceRow;
  const Tile given = e.tile(call.args[0]);
  const Tile to = rows ? e.destination(*result, given.rows, e.number(1))
                       : e.destination(*result, e.number(1), given.cols);
  const bool single = rows ? static_cast<const TileType&>(*call.args[0]->type).cols() == 1
                           : static_cast<const TileType&>(*call.args[0]->type).rows() == 1;
  if (single) return e.copy(given, to, call.span);
  const Domain domain = reduced_in(dtype, call.op->kind);
  const bool adds_up = call.op->kind == Elementwise::Add || call.op->kind == Elementwise::Mul;
  Tile x = widened(e, e.as_row(given), dtype, domain, call.span);
  Tile out = domain.dtype == dtype ? to : e.temporary_like(to, domain.element);
  const Tile wide = out;
  if (adds_up) {
    x = signless(e, x);
    out = signless(e, out);
  }
  // A column is reduced as the row that it is in memory, into a column of one. Where nothing of it is valid,
  // nothing is of the result.
  if (!rows && given.column()) out = e.with_extent(out, x.rows, e.number(1));
  if (rows || given.column()) {
    reduce_rows(e, std::string("trow") + suffix_of(call.op->kind), x, out);
  } else {
    e.op(std::string("tcol") + suffix_of(call.op->kind), {x}, out);
  }
  if (domain.dtype != dtype) narrowed(e, e.as_row(wide), domain, e.as_row(to), dtype, call.span);
}

void position(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const DType dtype = *dtype_of(call);
  const Tile given = e.tile(call.args[0]);
  const Tile to = e.destination(*result, given.rows, e.number(1));
  if (given.column()) return fill(e, e.as_row(to), e.number(0, "i32"));
  const Domain domain = domain_of(dtype);
  const Tile x = widened(e, given, dtype, domain, call.span);
  reduce_rows(e, std::string("trowarg") + suffix_of(call.op->kind), x, to);
}

void expand(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const bool rows = call.op->form == OpForm::ExpandRow;
  const Tile x = e.tile(call.args[0]);
  const auto& type = static_cast<const TileType&>(*result->type);
  const Tile to = rows ? e.destination(*result, x.rows, e.number(type.cols()))
                       : e.destination(*result, e.number(type.rows()), x.cols);
  if (to.column() && !rows) {  // one element over a column: a row is what the memory is
    return e.op("trowexpand", {signless(e, x)}, signless(e, e.as_row(to)));
  }
  if (to.column()) return e.copy(x, to, call.span);
  e.op(rows ? "trowexpand" : "tcolexpand", {signless(e, x)}, signless(e, to));
}

// A tile and a column or row that is repeated over it.
void spread(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const DType dtype = *dtype_of(call);
  const Elementwise kind = call.op->kind;
  const Tile full = e.tile(call.args[0]), vector = e.tile(call.args[1]);
  const bool over_rows = call.op->form == OpForm::MapRow;
  const bool columns = full.column();
  const Extent rows =
      over_rows || columns ? e.smaller(full.rows, over_rows ? vector.rows : full.rows) : full.rows;
  const Extent cols = over_rows ? full.cols : e.smaller(full.cols, vector.cols);
  const Tile to = e.destination(*result, rows, cols);
  // In a column, a row is one element, and a column is repeated over nothing.
  const bool as_row_of_one = columns && !over_rows;
  const bool plain = columns && over_rows;
  Tile pair[] = {e.as_row(full), e.as_row(to)};
  e.agree(pair);
  const bool whole = !is_float(dtype) && kind == Elementwise::Div;
  const Domain domain = whole ? Domain{DType::Int32, "i32"} : domain_of(dtype);
  const Tile a = widened(e, pair[0], dtype, domain, call.span);
  const Tile out = domain.dtype == dtype ? pair[1] : e.temporary_like(pair[1], domain.element);
  Tile b = vector;
  if (domain.dtype != dtype) {
    const Tile wide = e.temporary_like(vector, domain.element);
    convert(e, e.as_row(vector), dtype, e.as_row(wide), domain.dtype, RoundMode::Rint, call.span);
    b = wide;
  }
  const bool row_form = over_rows || as_row_of_one;
  if (!plain && row_form) b = e.with_extent(b, a.rows, b.cols);
  if (!plain && !row_form) b = e.with_extent(b, b.rows, a.cols);
  static constexpr const char* names[] = {"add", "sub", "mul", "div", "", "max", "min"};
  const std::string name = names[static_cast<size_t>(kind) - static_cast<size_t>(Elementwise::Add)];
  if (plain || whole) {
    Tile all = e.as_row(b);
    if (!plain) {
      all = e.temporary_like(out);
      e.op(row_form ? "trowexpand" : "tcolexpand", {b}, all);
    }
    if (whole) {
      e.op("tmov", {TileMath(e, out).divided(a, all)}, out);
    } else {
      e.op("t" + name, {a, all}, out);
    }
  } else {
    e.op((row_form ? "trowexpand" : "tcolexpand") + name, {a, b}, out);
  }
  if (domain.dtype != dtype) narrowed(e, out, domain, pair[1], dtype, call.span);
}

bool of_integers(DType dtype) {
  return !is_float(dtype);
}

}  // namespace

void add_reduce_rules(RuleTable& table) {
  namespace tile = ops::pl::tile;
  const DtypeSet numbers = floats | small_integers;
  const DtypeSet movable = floats | small_integers | booleans;
  const DtypeSet divided =
      floats | DtypeSet{DType::Int8, DType::Int16, DType::Int32, DType::UInt8, DType::UInt16};
  const std::string chain = "; sums of floats in f32, bytes in i16";
  for (const ops::Handle* op : {&tile::row_sum, &tile::row_max, &tile::row_min, &tile::row_prod}) {
    table.add(*op, {reduce, numbers, "trowsum, trowmax, trowmin, trowprod" + chain, {}});
  }
  for (const ops::Handle* op : {&tile::col_sum, &tile::col_max, &tile::col_min, &tile::col_prod}) {
    table.add(*op, {reduce, numbers, "tcolsum, tcolmax, tcolmin, tcolprod" + chain, {}});
  }
  for (const ops::Handle* op : {&tile::row_argmax, &tile::row_argmin}) {
    table.add(*op, {position, numbers, "trowargmax, trowargmin" + chain, {}});
  }
  table.add(tile::row_expand, {expand, movable, "trowexpand", {}});
  table.add(tile::col_expand, {expand, movable, "tcolexpand", {}});
  for (const ops::Handle* op : {&tile::row_expand_add, &tile::row_expand_sub, &tile::row_expand_mul,
                                &tile::row_expand_max, &tile::row_expand_min}) {
    table.add(*op, {spread, numbers, "trowexpandadd and so on; BF16 in f32, bytes in i16", {}});
  }
  for (const ops::Handle* op : {&tile::col_expand_add, &tile::col_expand_sub, &tile::col_expand_mul,
                                &tile::col_expand_max, &tile::col_expand_min}) {
    table.add(*op, {spread, numbers, "tcolexpandadd and so on; BF16 in f32, bytes in i16", {}});
  }
  table.add(
      tile::row_expand_div,
      {spread, divided, "trowexpanddiv; integers by trowexpand and an exact division", {}, of_integers});
  table.add(
      tile::col_expand_div,
      {spread, divided, "tcolexpanddiv; integers by tcolexpand and an exact division", {}, of_integers});
}

}  // namespace tilewire::target::pto
