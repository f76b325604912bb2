// Picking elements by position, sorting, running sums.
//
// The sorting ops take one row of pairs: a value in f32 and a label in the next word. Wider tiles go row by
// row.
#include <limits>

#include "ops/handles.h"
#include "target/pto/convert.h"
#include "target/pto/emitter.h"
#include "target/pto/parts.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

const TileType& tile_of(const ExprRef& expr) {
  return static_cast<const TileType&>(*expr->type);
}
int64_t axis_of(const Call& call) {
  const int64_t axis = *attribute(call, "axis")->get<int64_t>();
  return axis < 0 ? axis + 2 : axis;
}

// Positions as integers of the scalar unit: it reads all that tiles may have.
Scalar position_at(FunctionEmitter& e, const Tile& index, const Scalar& i, const Scalar& j) {
  return e.as_index(get_element(e, index, i, j));
}

// A row of numbers from 0 on.
Tile numbers(FunctionEmitter& e, int64_t count) {
  TileForm form;
  form.rows = 1;
  form.cols = e.up_to_unit(count);
  form.element = "i32";
  const Tile row = e.temporary(form, e.number(1), e.number(form.cols));
  form.cols = 192;
  const Tile scratch = e.temporary(form, e.number(1), e.number(192));
  e.op("tci", {{e.text.integer(0, "i32"), "i32"}, scratch}, row);
  e.done_with(scratch);
  return row;
}

// The unit that gathers takes the numbers of elements in the memory of the whole tile.
Tile element_numbers(FunctionEmitter& e, const Tile& index, int64_t columns, bool across) {
  const Tile numbered = e.temporary_like(index);
  if (!across) {
    with_number(e, "tmuls", index, columns, numbered);
    const Tile row = e.with_extent(numbers(e, index.form.cols), e.number(1), index.cols);
    e.op("tcolexpandadd", {numbered, row}, numbered);
    return numbered;
  }
  if (index.form.rows == 1) return index;
  const Tile row = numbers(e, index.form.rows);
  with_number(e, "tmuls", row, columns, row);
  TileForm form = row.form;
  form.col_major = true;
  std::swap(form.rows, form.cols);
  const Tile column = e.seen_as(row, form, index.rows, e.number(1));
  e.op("trowexpandadd", {index, column}, numbered);
  return numbered;
}

// Elements of 16 and 32 bits, of rows, by numbers of 32 bits.
void gather_at_once(FunctionEmitter& e, const Tile& x, const Tile& given, DType dtype, const Tile& to,
                    bool across, const Span& at) {
  Tile index = given;
  if (dtype == DType::UInt32) index = signless(e, index);
  if (bits(dtype) != 32) {
    index = e.temporary_like(given, "i32");
    convert(e, given, dtype, index, DType::Int32, RoundMode::Rint, at);
  }
  index = e.with_extent(index, to.rows, to.cols);
  const Tile numbered = element_numbers(e, index, x.form.cols, across);
  auto plain = [&](const Tile& tile) {
    return tile.form.element == "bf16" ? e.with_element(tile, "i16") : signless(e, tile);
  };
  Tile pair[] = {numbered, plain(to)};
  e.agree(pair);
  e.op("tgather", {plain(x), pair[0], e.temporary_like(pair[0])}, pair[1]);
}

void gather(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tile x = e.as_bytes(e.tile(operand(call, "x"))), index = e.tile(operand(call, "index"));
  const bool across = axis_of(call) == 1;
  const Tile to = e.destination(*result, across ? e.smaller(x.rows, index.rows) : index.rows,
                                across ? index.cols : e.smaller(x.cols, index.cols));
  const int64_t bytes = element_bytes(x.form.element);
  const bool columns = x.column() || index.column() || to.column();
  if (!columns && (bytes == 2 || bytes == 4))
    return gather_at_once(e, x, index, tile_of(operand(call, "index")).dtype, to, across, call.span);
  each_element(e, to.rows, to.cols, [&](const Scalar& i, const Scalar& j) {
    const Scalar at = position_at(e, index, i, j);
    set_element(e, to, i, j, across ? get_element(e, x, i, at) : get_element(e, x, at, j));
  });
}

void scatter(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tile before = e.as_bytes(e.tile(operand(call, "x"))), index = e.tile(operand(call, "index"));
  const Tile src = e.as_bytes(e.tile(operand(call, "src")));
  const bool across = axis_of(call) == 1;
  const Tile to = e.destination(*result, before.rows, before.cols);
  e.copy(before, to, call.span);
  Tile both[] = {index, src};
  auto [rows, cols] = e.common_extent(both);
  each_element(e, rows, cols, [&](const Scalar& i, const Scalar& j) {
    const Scalar at = position_at(e, index, i, j), value = get_element(e, src, i, j);
    across ? set_element(e, to, i, at, value) : set_element(e, to, at, j, value);
  });
}

// --- sorting

struct Row {
  Tile values, labels;  // f32 and i32
};

TileForm row_form(const std::string& element, int64_t cols) {
  TileForm form;
  form.rows = 1;
  form.cols = cols;
  form.element = element;
  return form;
}

Tile new_row(FunctionEmitter& e, const std::string& element, int64_t cols) {
  return e.temporary(row_form(element, cols), e.number(1), e.number(cols));
}

// Takes the values and labels of a row of pairs apart.
void take_apart(FunctionEmitter& e, const Tile& pairs, const Row& row) {
  const Tile bits = e.with_element(row.labels, "f32");
  for (const auto& [pattern, to] : {std::pair("P0101", row.values), std::pair("P1010", bits)}) {
    e.text.line("pto.tgather ins(" + pairs.name + ", {maskPattern = #pto.mask_pattern<" +
                std::string(pattern) + ">} : " + pairs.type() + ", \"row\") outs(" + to.name + " : " +
                to.type() + ")");
  }
}

void put_together(FunctionEmitter& e, const Row& row, const Tile& pairs) {
  const int64_t cols = row.values.form.cols;
  const Tile at = new_row(e, "i32", cols), scratch = new_row(e, "i32", 192);
  const std::string zero = e.text.integer(0, "i32");
  e.op("tci", {{zero, "i32"}, scratch}, at);
  with_number(e, "tmuls", at, 2, at);
  e.op("tscatter", {row.values, at}, pairs);
  with_number(e, "tadds", at, 1, at);
  e.op("tscatter", {e.with_element(row.labels, "f32"), at}, pairs);
}

// Both sorts: each row is copied out, worked on and copied back.
void by_rows(FunctionEmitter& e, const Call& call, const Var* result,
             const std::function<void(const Row&, bool)>& sort) {
  if (!result) return;
  const ExprRef x_expr = operand(call, "x"), index_expr = operand(call, "index");
  const TileType& type = tile_of(x_expr);
  const Tile given = e.tile(x_expr);
  const Tile values = e.destination(*result, given.rows, given.cols, 0);
  const Tile labels = e.destination(*result, given.rows, given.cols, 1);
  if (!given.cols.integer || *given.cols.integer != type.cols()) {
    e.refuse(call.span, "`" + call.op->qualified() + "` of a tile that is not valid to the end of its rows",
             "whole runs are sorted");
    return;
  }
  const DType labels_dtype = index_expr ? tile_of(index_expr).dtype : DType::Int32;
  Tile x = given;
  if (type.dtype != DType::FP32) {
    x = e.temporary_like(given, "f32");
    convert(e, given, type.dtype, x, DType::FP32, RoundMode::Rint, call.span);
  }
  const Row row{new_row(e, "f32", type.cols()), new_row(e, "i32", type.cols())};
  const Tile out = type.dtype == DType::FP32 ? values : e.temporary_like(values, "f32");
  Tile names;
  if (index_expr) {
    names = e.tile(index_expr);
    if (labels_dtype != DType::Int32) {
      const Tile words = e.temporary_like(names, "i32");
      convert(e, names, labels_dtype, words, DType::Int32, RoundMode::Rint, call.span);
      names = words;
    }
  }
  const Tile out_names = labels_dtype == DType::Int32 ? labels : e.temporary_like(labels, "i32");
  each(e, given.rows, "row", [&](const Scalar& i) {
    const Scalar zero = e.number(0);
    take_part(e, x, row.values, i, zero);
    if (index_expr) take_part(e, names, row.labels, i, zero);
    sort(row, index_expr != nullptr);
    put_part(e, row.values, out, i, zero);
    put_part(e, row.labels, out_names, i, zero);
  });
  if (type.dtype != DType::FP32) convert(e, out, DType::FP32, values, type.dtype, RoundMode::Rint, call.span);
  if (labels_dtype != DType::Int32)
    convert(e, out_names, DType::Int32, labels, labels_dtype, RoundMode::Rint, call.span);
}

void sort32(FunctionEmitter& e, const Call& call, const Var* result) {
  by_rows(e, call, result, [&](const Row& row, bool labelled) {
    const int64_t cols = row.values.form.cols;
    if (!labelled) e.op("tci", {{e.text.integer(0, "i32"), "i32"}, new_row(e, "i32", 192)}, row.labels);
    const Tile pairs = new_row(e, "f32", 2 * cols);
    e.op("tsort32", {row.values, row.labels}, pairs);
    take_apart(e, pairs, row);
  });
}

void mrgsort(FunctionEmitter& e, const Call& call, const Var* result) {
  const int64_t run = *attribute(call, "block_len")->get<int64_t>();
  const int64_t cols = tile_of(call.args[0]).cols();
  // Four runs are merged at a time: a last group is filled up with what comes last.
  const int64_t wide = (cols + 4 * run - 1) / (4 * run) * (4 * run);
  by_rows(e, call, result, [&](const Row& row, bool) {
    const Tile pairs = new_row(e, "f32", 2 * wide), merged = new_row(e, "f32", 2 * wide);
    Row all = row;
    if (wide != cols) {
      all = {new_row(e, "f32", wide), new_row(e, "i32", wide)};
      fill(e, all.values, e.real(-std::numeric_limits<double>::infinity(), "f32"));
      fill(e, all.labels, e.number(0, "i32"));
      put_part(e, row.values, all.values, e.number(0), e.number(0));
      put_part(e, row.labels, all.labels, e.number(0), e.number(0));
    }
    put_together(e, all, pairs);
    e.op("tmrgsort", {pairs, {e.text.integer(2 * run, "i32"), "i32"}}, merged);
    take_apart(e, merged, all);
    if (wide == cols) return;
    take_part(e, all.values, row.values, e.number(0), e.number(0));
    take_part(e, all.labels, row.labels, e.number(0), e.number(0));
  });
}

// --- running sums: in f32 where elements are floats, each rounded when it is stored

// Each row to the next one, in place.
void add_up_rows(FunctionEmitter& e, const Tile& from, const Tile& sums, const Span& at) {
  e.copy(from, sums, at);
  each(e, e.sub(sums.rows, e.number(1)), "row", [&](const Scalar& row) {
    const Tile above = row_of(e, sums, row), below = row_of(e, sums, e.add(row, e.number(1)));
    e.op("tadd", {above, below}, below);
  });
}

void cumsum(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const DType dtype = *dtype_of(call);
  const Tile x = e.tile(call.args[0]);
  const Tile to = e.destination(*result, x.rows, x.cols);
  const Domain domain = wide_domain_of(dtype);
  const bool across = axis_of(call) == 1;
  const Tile from = e.as_row(x), target = e.as_row(to);
  const Tile wide = signless(e, widened(e, from, dtype, domain, call.span));
  const Tile sums = domain.dtype == dtype ? signless(e, target) : e.temporary_like(target, domain.element);
  // A column is a row in memory, and its rows are the columns of that.
  const bool turned = x.column();
  const bool along_row = turned ? !across : across;
  const std::string element = sums.form.element;
  if (!along_row && !turned) {
    add_up_rows(e, wide, sums, call.span);
    if (domain.dtype != dtype) narrowed(e, sums, domain, target, dtype, call.span);
    return;
  }
  const Scalar lines = along_row ? sums.rows : sums.cols, length = along_row ? sums.cols : sums.rows;
  each(e, lines, "line", [&](const Scalar& line) {
    const Scalar zero = element == "f32" ? e.real(0, "f32") : e.number(0, element);
    const std::string sum = e.text.fresh("sum"), so_far = e.text.fresh("so_far"), i = e.text.fresh("i");
    e.text.open(sum + " = scf.for " + i + " = " + e.text.integer(0, "index") + " to " + e.text.name(length) +
                " step " + e.text.integer(1, "index") + " iter_args(" + so_far + " = " + e.text.name(zero) +
                ") -> (" + element + ") {");
    e.enter();
    const Scalar at = e.named(i, "index");
    const Scalar row = along_row ? line : at, col = along_row ? at : line;
    const Scalar value = get_element(e, wide, row, col);
    Scalar next;
    if (element == "f32") {
      const std::string minus = e.pure("arith.negf " + value.name + " : f32");
      next = e.named(e.pure("arith.subf " + so_far + ", " + minus + " : f32"), "f32");
    } else {
      next = e.add(e.named(so_far, element), value);
    }
    set_element(e, sums, row, col, next);
    e.text.line("scf.yield " + next.name + " : " + element);
    e.leave();
    e.text.close();
  });
  if (domain.dtype != dtype) narrowed(e, sums, domain, target, dtype, call.span);
}

bool of_bytes(DType dtype) {
  return dtype == DType::Int8 || dtype == DType::UInt8 || dtype == DType::Bool;
}

}  // namespace

void add_sort_rules(RuleTable& table) {
  namespace tile = ops::pl::tile;
  const DtypeSet sorted{DType::FP16, DType::FP32};
  table.add(tile::gather,
            {gather,
             stored,
             "tgather by the numbers of elements; columns, bytes and INT64 by tgetval and tsetval",
             {}});
  table.add(tile::scatter,
            {scatter, stored, "tgetval and tsetval, element by element", {ResultMemory::Updates, 0}});
  table.add(tile::sort32, {sort32, sorted, "tsort32 of pairs row by row, tgather with a mask", {}});
  table.add(tile::mrgsort, {mrgsort, sorted, "tscatter into pairs, tmrgsort, tgather with a mask", {}});
  table.add(tile::cumsum, {cumsum,
                           floats | small_integers,
                           "tadd of one row to the next; along rows, tgetval and tsetval",
                           {},
                           of_bytes});
}

}  // namespace tilewire::target::pto
