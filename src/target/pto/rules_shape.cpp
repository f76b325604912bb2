// Other shapes of tiles: parts, transposes, concatenation, valid extents.
#include <algorithm>
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
Tile bytes_of(FunctionEmitter& e, const ExprRef& expr) {
  return e.as_bytes(e.tile(expr));
}

// The rest of a valid extent after an offset, at most `size`.
Extent left_of(FunctionEmitter& e, const Extent& valid, const Scalar& offset, int64_t size, int64_t full) {
  if (valid.integer == full && (!offset.integer || *offset.integer + size <= full)) return e.number(size);
  return e.arith("maxsi", e.arith("minsi", e.sub(valid, offset), e.number(size)), e.number(0));
}

void extract(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tile whole = bytes_of(e, call.args[0]);
  const auto& from = tile_of(call.args[0]);
  const auto& type = static_cast<const TileType&>(*result->type);
  const std::vector<Scalar> offsets = e.indices(operand(call, "offsets"));
  const Tile part = e.destination(*result, left_of(e, whole.rows, offsets[0], type.rows(), from.rows()),
                                  left_of(e, whole.cols, offsets[1], type.cols(), from.cols()));
  take_part(e, whole, part, offsets[0], offsets[1]);
}

void assemble(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tile before = bytes_of(e, call.args[0]), part = bytes_of(e, call.args[1]);
  const std::vector<Scalar> offsets = e.indices(operand(call, "offsets"));
  const Tile whole = e.destination(*result, before.rows, before.cols);
  e.copy(before, whole, call.span);
  put_part(e, part, whole, offsets[0], offsets[1]);
}

// Whether the elements of a tile stand in memory one behind the other.
bool is_compact(const Tile& tile, const TileType& type) {
  return tile.form.rows * tile.form.cols == type.rows() * type.cols();
}

// How many elements are valid, which has to be a beginning of them: whole rows, or a part of the first one.
Scalar first_elements(FunctionEmitter& e, const Tile& tile, const TileType& type) {
  const Scalar in_rows = e.mul(tile.rows, e.number(type.cols()));
  const Scalar whole = e.compare("eq", tile.cols, e.number(type.cols()));
  if (whole.integer == 1) return in_rows;
  const Scalar empty =
      e.arith("ori", e.compare("eq", tile.rows, e.number(0)), e.compare("eq", tile.cols, e.number(0)));
  const Scalar one = e.compare("eq", tile.rows, e.number(1));
  const Scalar good = e.arith("ori", whole, e.arith("ori", one, empty));
  e.trap_if(e.arith("xori", good, e.number(1, "i1")));
  return e.select(empty, e.number(0), e.select(whole, in_rows, tile.cols));
}

// The rows and columns that so many elements fill: whole rows, or a part of the first one.
std::pair<Extent, Extent> reshaped(FunctionEmitter& e, const Scalar& count, const TileType& type) {
  const Scalar cols = e.number(type.cols());
  const Scalar whole = e.arith("divsi", count, cols);
  const Scalar rest = e.sub(count, e.mul(whole, cols));
  const Scalar less = e.compare("slt", count, cols);
  e.trap_if(e.arith("andi", e.arith("xori", less, e.number(1, "i1")), e.compare("ne", rest, e.number(0))));
  const Scalar some = e.select(e.compare("sgt", count, e.number(0)), e.number(1), e.number(0));
  return {e.select(less, some, whole), e.select(less, count, cols)};
}

void reshape(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tile from = bytes_of(e, call.args[0]);
  const auto &old = tile_of(call.args[0]), &type = static_cast<const TileType&>(*result->type);
  const bool full = from.rows.integer == old.rows() && from.cols.integer == old.cols();
  const auto [rows, cols] = full ? std::pair(e.number(type.rows()), e.number(type.cols()))
                                 : reshaped(e, first_elements(e, from, old), type);
  const Tile to = e.destination(*result, rows, cols);
  if (is_compact(from, old) && is_compact(to, type)) {
    return e.copy(from, e.seen_as(to, from.form, from.rows, from.cols), call.span);
  }
  const Scalar old_cols = e.number(old.cols());
  each_element(e, to.rows, to.cols, [&](const Scalar& i, const Scalar& j) {
    const Scalar at = e.add(e.mul(i, e.number(type.cols())), j);
    const Scalar row = e.arith("divui", at, old_cols), col = e.arith("remui", at, old_cols);
    set_element(e, to, i, j, get_element(e, from, row, col));
  });
}

int64_t axis_of(const Call& call, const char* name) {
  const int64_t axis = *attribute(call, name)->get<int64_t>();
  return axis < 0 ? axis + 2 : axis;
}

void transpose(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tile from = bytes_of(e, call.args[0]);
  if (axis_of(call, "axis1") == axis_of(call, "axis2")) {
    return e.copy(from, e.destination(*result, from.rows, from.cols), call.span);
  }
  const Tile to = e.destination(*result, from.cols, from.rows);
  if (from.column() || to.column()) return e.copy(from, to, call.span);  // the same bytes
  e.transpose(from, to, call.span);
}

void concat(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const ExprList& parts = as<MakeTuple>(call.args[0])->elements;
  const bool across = axis_of(call, "axis") == 1;
  std::vector<Tile> tiles;
  for (const ExprRef& part : parts) tiles.push_back(bytes_of(e, part));
  // The last part may end early; the others are valid to their end.
  Extent rows = tiles[0].rows, cols = tiles[0].cols;
  Scalar at = e.number(0);
  std::vector<Scalar> starts;
  for (size_t i = 0; i < tiles.size(); ++i) {
    starts.push_back(at);
    const auto& type = tile_of(parts[i]);
    if (across) {
      rows = e.smaller(rows, tiles[i].rows);
      cols = e.add(at, tiles[i].cols);
      at = e.add(at, e.number(type.cols()));
    } else {
      cols = e.smaller(cols, tiles[i].cols);
      rows = e.add(at, tiles[i].rows);
      at = e.add(at, e.number(type.rows()));
    }
  }
  const Tile whole = e.destination(*result, rows, cols);
  for (size_t i = 0; i < tiles.size(); ++i) {
    put_part(e, tiles[i], whole, across ? e.number(0) : starts[i], across ? starts[i] : e.number(0));
  }
}

void set_validshape(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tile tile = bytes_of(e, call.args[0]);
  const std::vector<Scalar> extents = e.indices(operand(call, "valid_shape"));
  if (e.memory.cut_of_popped(*call.args[0]))
    return e.name_tile(*result, e.with_extent(tile, extents[0], extents[1]));
  Tile to = e.destination(*result, extents[0], extents[1]);
  if (tile.started) {
    to.started = tile.started;
    e.name_tile(*result, to);
    if (tile.started->integer == 0) return;
  }
  e.copy(e.with_extent(tile, extents[0], extents[1]), to, call.span);
}

// The value around the valid part, as bits of a number of that width.
int64_t pad_bits(DType dtype, PadValue pad) {
  if (pad == PadValue::Zero) return 0;
  const bool most = pad == PadValue::Max;
  switch (dtype) {
    case DType::FP32:
      return most ? 0x7f7fffff : static_cast<int32_t>(0xff7fffff);
    case DType::BF16:
      return most ? 0x7f7f : static_cast<int16_t>(0xff7f);
    case DType::FP16:
      return most ? 0x7bff : static_cast<int16_t>(0xfbff);
    case DType::Bool:
      return most ? 1 : 0;
    default:
      break;
  }
  const int width = bits(dtype);
  if (!info(dtype).is_signed) return most ? -1 : 0;
  const int64_t top = static_cast<int64_t>((uint64_t{1} << (width - 1)) - 1);
  return most ? top : -top - 1;
}

void fillpad(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tile from = bytes_of(e, call.args[0]);
  const auto& type = static_cast<const TileType&>(*result->type);
  const PadValue pad = enum_attribute<PadValue>(call, "pad");
  const Tile to = e.destination(*result, e.number(type.rows()), e.number(type.cols()));
  if (bits(type.dtype) == 64 && pad != PadValue::Zero) {
    e.refuse(call.span, "`pl.tile.fillpad` of INT64 with another value than zero",
             "`texpands` has no such elements");
    return;
  }
  fill_everywhere(e, e.as_row(to), pad_bits(type.dtype, pad));
  const Tile source = e.as_row(from), target = e.as_row(to);
  put_part(e, source, target, e.number(0), e.number(0));
}

}  // namespace

void add_shape_rules(RuleTable& table) {
  namespace tile = ops::pl::tile;
  table.add(tile::extract,
            {extract, stored, "textract, or tadds 0 of a subview; element by element at odd columns", {}});
  table.add(tile::assemble, {assemble,
                             stored,
                             "tinsert, or tadds 0 into a subview; element by element at odd columns",
                             {ResultMemory::Updates, 0}});
  table.add(tile::reshape, {reshape, stored, "tmov into a treshape; element by element with padding", {}});
  table.add(tile::transpose, {transpose, stored, "ttrans", {}});
  table.add(tile::concat, {concat, stored, "tinsert, or tadds 0 into subviews", {}});
  table.add(tile::set_validshape, {set_validshape, stored, "tmov of the valid part", {}});
  table.add(tile::fillpad, {fillpad, stored, "texpands, then the valid part over it", {}});
}

}  // namespace tilewire::target::pto
