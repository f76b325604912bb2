#include "target/pto/parts.h"

#include "target/pto/convert.h"

namespace tilewire::target::pto {

using namespace ir;

Tile as_bits(FunctionEmitter& e, const Tile& tile) {
  const int64_t bytes = element_bytes(tile.form.element);
  if (bytes == 8) {
    TileForm form = tile.form;
    form.element = "i32";
    form.cols *= 2;
    return e.seen_as(tile, form, tile.rows, e.mul(tile.cols, e.number(2)));
  }
  return e.with_element(tile, bytes == 4 ? "i32" : bytes == 2 ? "i16" : "i8");
}

namespace {

// A part that starts at a column in the middle of 32 bytes has no address.
bool has_address(const Tile& part, const Tile& whole, const Scalar& col) {
  if (part.column() || whole.column() || !col.integer) return false;
  const int64_t bytes = element_bytes(whole.form.element);
  return *col.integer * bytes % 32 == 0 && *col.integer + part.form.cols <= whole.form.cols;
}

// `sizes` are those of `part`, and so is what is valid.
Tile part_of(FunctionEmitter& e, const Tile& whole, const Tile& part, const Scalar& row, const Scalar& col) {
  Tile sub = part;
  sub.memory = whole.memory;
  const std::string rhs = "pto.subview " + whole.name + "[" + e.text.name(row) + ", " + e.text.name(col) +
                          "] sizes [" + std::to_string(part.form.rows) + ", " +
                          std::to_string(part.form.cols) + "]";
  const bool all =
      part.rows.integer == part.form.rows && part.cols.integer == part.form.cols && !part.dynamic;
  const std::string valid =
      all ? "" : " valid [" + e.text.name(part.rows) + ", " + e.text.name(part.cols) + "]";
  sub.name = e.pure(rhs + valid + " : " + whole.type() + " -> " + sub.type(), "sub");
  return sub;
}

// Parts of these elements are moved by ops of their own; others are bits, moved by adding nothing. So are
// those of an extent that run time knows: a subview says it.
bool has_part_ops(const Tile& part) {
  const std::string& element = part.form.element;
  return element == "i8" || (!part.dynamic && (element == "f32" || element == "f16" || element == "bf16"));
}

// The whole and a part of its shape, which a move takes.
bool fills(const Tile& part, const Tile& whole, const Scalar& row, const Scalar& col) {
  return part.form.rows == whole.form.rows && part.form.cols == whole.form.cols && row.integer == 0 &&
         col.integer == 0;
}
void move_valid(FunctionEmitter& e, const Tile& from, const Tile& to) {
  Tile pair[] = {from, to};
  e.agree(pair);
  e.op("tmov", {pair[0]}, pair[1]);
}

Scalar two(FunctionEmitter& e, const Scalar& col, const Tile& tile) {
  return element_bytes(tile.form.element) == 8 ? e.mul(col, e.number(2)) : col;
}

}  // namespace

Tile row_of(FunctionEmitter& e, const Tile& whole, const Scalar& row) {
  Tile part = whole;
  part.form.rows = 1;
  part.rows = e.number(1);
  part.dynamic = !part.cols.integer;
  return part_of(e, whole, part, row, e.number(0));
}

void put_part(FunctionEmitter& e, const Tile& part, const Tile& whole, const Scalar& row, const Scalar& col) {
  if (!has_address(part, whole, col)) {
    return each_element(e, part.rows, part.cols, [&](const Scalar& i, const Scalar& j) {
      set_element(e, whole, e.add(i, row), e.add(j, col), get_element(e, part, i, j));
    });
  }
  if (fills(part, whole, row, col)) return move_valid(e, part, whole);
  const bool direct = has_part_ops(part);
  const Tile from = direct ? part : as_bits(e, part), to = direct ? whole : as_bits(e, whole);
  if (has_part_ops(from)) {
    return e.op("tinsert", {from, {e.text.name(row), "index"}, {e.text.name(col), "index"}}, to);
  }
  e.op("tadds", {from, {e.text.integer(0, from.form.element), from.form.element}},
       part_of(e, to, from, row, two(e, col, part)));
}

void take_part(FunctionEmitter& e, const Tile& whole, const Tile& part, const Scalar& row,
               const Scalar& col) {
  if (!has_address(part, whole, col)) {
    return each_element(e, part.rows, part.cols, [&](const Scalar& i, const Scalar& j) {
      set_element(e, part, i, j, get_element(e, whole, e.add(i, row), e.add(j, col)));
    });
  }
  if (fills(part, whole, row, col)) return move_valid(e, whole, part);
  const bool direct = has_part_ops(part);
  const Tile from = direct ? whole : as_bits(e, whole), to = direct ? part : as_bits(e, part);
  if (has_part_ops(to)) {
    return e.op("textract", {from, {e.text.name(row), "index"}, {e.text.name(col), "index"}}, to);
  }
  e.op("tadds",
       {part_of(e, from, to, row, two(e, col, whole)), {e.text.integer(0, to.form.element), to.form.element}},
       to);
}

namespace {

Scalar flat(FunctionEmitter& e, const Tile& tile, const Scalar& row, const Scalar& col) {
  if (tile.column()) return row;
  return e.add(e.mul(row, e.number(tile.form.cols)), col);
}

Tile of_elements(FunctionEmitter& e, const Tile& tile) {
  const Tile row = e.as_row(tile);
  return row.form.element.starts_with("u") ? e.with_element(row, row.form.element.substr(1)) : row;
}

}  // namespace

// A tile of [r, c] seen as [c, r]: what stands in a row of boxes then stands in a column of them.
Tile turned(FunctionEmitter& e, const Tile& tile) {
  TileForm form = tile.form;
  std::swap(form.rows, form.cols);
  form.col_major = !form.col_major;
  form.boxes = form.boxes == Boxes::Rows ? Boxes::Columns : Boxes::Rows;
  // A tile in a slot of a pipe has no address.
  const bool addressed = e.level == Level::Three && !tile.memory.empty();
  return addressed ? e.same_place(tile, form, tile.cols, tile.rows)
                   : e.seen_as(tile, form, tile.cols, tile.rows);
}

void widen_column(FunctionEmitter& e, const Tile& column, const Tile& wide) {
  if (element_bytes(column.form.element) < 8)
    return e.op("trowexpand", {signless(e, column)}, signless(e, wide));
  each_element(e, column.rows, e.number(1), [&](const Scalar& i, const Scalar& j) {
    set_element(e, wide, i, j, get_element(e, column, i, j));
  });
}

// A maximum of one element.
void narrow_column(FunctionEmitter& e, const Tile& wide, const Tile& column) {
  const std::string& element = wide.form.element;
  const bool direct = element == "f32" || element == "f16" || element == "i32" || element == "i16";
  if (direct) return e.op("trowmax", {wide, e.temporary_like(wide)}, column);
  each_element(e, wide.rows, e.number(1), [&](const Scalar& i, const Scalar& j) {
    set_element(e, column, i, j, get_element(e, wide, i, j));
  });
}

Scalar get_element(FunctionEmitter& e, const Tile& tile, const Scalar& row, const Scalar& col) {
  const Tile from = of_elements(e, tile);
  const std::string name = e.text.fresh("element");
  e.text.line(name + " = pto.tgetval ins(" + from.name + ", " + e.text.name(flat(e, tile, row, col)) + " : " +
              from.type() + ", index) outs : " + from.form.element);
  return e.named(name, from.form.element);
}

void set_element(FunctionEmitter& e, const Tile& tile, const Scalar& row, const Scalar& col,
                 const Scalar& value) {
  const Tile to = of_elements(e, tile);
  e.text.line("pto.tsetval ins(" + e.text.name(flat(e, tile, row, col)) + ", " + e.text.name(value) +
              " : index, " + value.type + ") outs(" + to.name + " : " + to.type() + ")");
}

void each(FunctionEmitter& e, const Scalar& count, const char* hint,
          const std::function<void(const Scalar&)>& body) {
  if (count.integer == 1) return body(e.number(0));
  const std::string i = e.text.fresh(hint);
  e.text.open("scf.for " + i + " = " + e.text.integer(0, "index") + " to " + e.text.name(count) + " step " +
              e.text.integer(1, "index") + " {");
  e.enter();
  body(e.named(i, "index"));
  e.leave();
  e.text.close();
}

void each_element(FunctionEmitter& e, const Extent& rows, const Extent& cols,
                  const std::function<void(const Scalar& row, const Scalar& col)>& body) {
  each(e, rows, "i", [&](const Scalar& i) { each(e, cols, "j", [&](const Scalar& j) { body(i, j); }); });
}

}  // namespace tilewire::target::pto
