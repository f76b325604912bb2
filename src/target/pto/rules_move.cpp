// Making tiles, moving them to and from memory, single elements, views of tensors.
#include "ops/handles.h"
#include "target/pto/convert.h"
#include "target/pto/emitter.h"
#include "target/pto/parts.h"
#include "target/pto/rules.h"
#include "target/pto/tile_math.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

const TileType& tile_type_of(const Var& var) {
  return static_cast<const TileType&>(*var.type);
}

// The valid extent that a call states for the tile that it creates.
std::pair<Extent, Extent> stated_extent(FunctionEmitter& e, const Call& call, const TileType& type) {
  const ExprRef list = operand(call, "valid_shape");
  if (!list) return {e.number(type.rows()), e.number(type.cols())};
  std::vector<Scalar> stated = e.indices(list);
  const Scalar cols = stated.back();
  const Scalar rows = stated.size() > 1 ? stated[stated.size() - 2] : e.number(type.rows());
  return {rows, cols};
}

bool of_bytes(DType dtype) {
  return dtype == DType::Int8 || dtype == DType::UInt8 || dtype == DType::Bool;
}

// A row as the column that its bytes are.
Tile as_column(FunctionEmitter& e, const Tile& row) {
  TileForm form = row.form;
  form.col_major = true;
  std::swap(form.rows, form.cols);
  return e.seen_as(row, form, row.cols, row.rows);
}

// Zeros in Acc: the first product is written instead of added.
void nothing_added(FunctionEmitter& e, const Var& result, Tile acc) {
  acc.started = e.number(0, "i1");
  e.name_tile(result, std::move(acc));
}

void create(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  auto [rows, cols] = stated_extent(e, call, tile_type_of(*result));
  const Tile tile = e.destination(*result, rows, cols);
  if (tile.form.space == MemorySpace::Acc) return nothing_added(e, *result, tile);
  // Whatever was there is no number that may be computed with.
  if (tile.form.space == MemorySpace::Vec) fill_everywhere(e, e.as_row(tile), 0);
}

void load(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  Tensor& from = e.tensor(operand(call, "t"));
  const ExprRef offsets = operand(call, "offsets");
  if (from.pointer.empty()) {
    e.destination(*result, e.number(1), e.number(1));
    return;
  }
  std::vector<Scalar> place(from.extents.size(), e.number(0));
  if (offsets) place = e.indices(offsets);
  auto [rows, cols] = stated_extent(e, call, tile_type_of(*result));
  e.load(from, place, *result, rows, cols, call);
}

void store(FunctionEmitter& e, const Call& call, const Var* result) {
  const ExprRef target = operand(call, "t");
  Tensor& to = e.tensor(target);
  const bool add = enum_attribute<AtomicType>(call, "atomic") == AtomicType::Add;
  e.store(e.tile(operand(call, "tile")), to, e.indices(operand(call, "offsets")), add, call);
  if (result) e.name_tensor(*result, e.tensor(target));
}

// Vectors have no fill of bytes, and none of 64 bits: those go through i16 and i32.
void full(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result || e.scalars_sent.sent(*result)) return;
  const TileType& type = tile_type_of(*result);
  const Tile place = e.destination(*result, e.number(type.rows()), e.number(type.cols()));
  const Scalar value = e.scalar(operand(call, "value"));
  if (place.form.space != MemorySpace::Vec) {
    const bool zero = value.integer == 0 || value.real == 0.0;
    if (place.form.space == MemorySpace::Acc && zero) return nothing_added(e, *result, place);
    e.refuse(call.span, std::string("`pl.tile.full` in ") + name_of(place.form.space),
             "only the vector core fills tiles");
    return;
  }
  const Tile to = e.as_row(place);
  switch (type.dtype) {
    case DType::Bool:
    case DType::Int8:
    case DType::UInt8: {
      if (value.integer) return fill_everywhere(e, to, *value.integer & 255);
      const Scalar byte = type.dtype == DType::Bool
                              ? e.select(value, e.number(1, "i16"), e.number(0, "i16"))
                              : e.arith("andi", e.as_integer(value, "i16", false), e.number(255, "i16"));
      return fill(e, halfwords(e, to), e.mul(byte, e.number(257, "i16")));
    }
    case DType::Int64:
    case DType::UInt64: {
      if (value.integer == 0 || value.integer == -1) return fill_everywhere(e, to, *value.integer);
      const bool small = value.integer && *value.integer == static_cast<int32_t>(*value.integer);
      if (!small) {
        e.refuse(call.span, "`pl.tile.full` of INT64 with a value that may need more than 32 bits",
                 "`texpands` has no such elements");
        return;
      }
      const Tile words = e.temporary_like(to, "i32");
      fill(e, words, e.number(*value.integer, "i32"));
      return convert(e, words, DType::Int32, to, DType::Int64, RoundMode::Rint, call.span);
    }
    default:
      return fill(e, to, value);
  }
}

// `tci` counts in one row of i32 or i16; a column is the same bytes, and everything else is repeated.
void count_up(FunctionEmitter& e, const Tile& row, const Scalar& start) {
  if (row.cols.integer == 1) return fill(e, row, start);
  TileForm form;
  form.rows = 1;
  form.cols = 192;
  form.element = "i32";
  const Tile scratch = e.temporary(form, e.number(1), e.number(form.cols));
  e.op("tci", {{e.text.name(start), start.type}, scratch}, row);
}

// Fills a tile of so many rows with a row of counts, across its columns or down its rows.
void spread_line(FunctionEmitter& e, const Tile& line, const Tile& to, bool across, int64_t rows) {
  if (across && rows == 1 && !to.column()) return e.copy(line, to, {});
  if (across && to.column())
    return e.op("trowexpand", {as_column(e, line)}, e.as_row(to));  // a column of starts
  if (!across && to.column()) return e.copy(line, e.as_row(to), {});
  if (across) return e.op("tcolexpand", {line}, to);
  e.op("trowexpand", {as_column(e, line)}, to);
}

void arange(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const TileType& type = tile_type_of(*result);
  const Tile to = e.destination(*result, e.number(type.rows()), e.number(type.cols()));
  const int64_t axis = *attribute(call, "axis")->get<int64_t>();
  const bool across = axis == 1 || axis == -1;
  const ExprRef start_expr = operand(call, "start");
  const DType dtype = type.dtype;
  const Scalar zero = is_float(dtype) ? e.real(0, scalar_text(dtype)) : e.number(0, scalar_text(dtype));
  const Scalar start = start_expr ? e.scalar(start_expr) : zero;
  // Counted in i32 from 0 or the start; floats add theirs in f32.
  const bool whole = !is_float(dtype);
  TileForm form;
  form.rows = 1;
  form.cols = e.up_to_unit(across ? type.cols() : type.rows());
  form.element = "i32";
  const Tile row = e.temporary(form, e.number(1), e.number(across ? type.cols() : type.rows()));
  if (whole && dtype == DType::UInt32) {
    count_up(e, row, e.named(e.text.name(start), "i32"));
  } else {
    count_up(e, row, whole ? e.as_integer(start, "i32", info(dtype).is_signed) : e.number(0, "i32"));
  }
  if (bits(dtype) == 64) {  // spread as INT32, which has what counts fit
    const Tile words = e.temporary_like(to, "i32");
    spread_line(e, row, words, across, type.rows());
    return convert(e, e.as_row(words), DType::Int32, e.as_row(to), dtype, RoundMode::Rint, call.span);
  }
  Tile line = row;
  if (dtype != DType::Int32) {
    line = e.temporary_like(row, element_text(dtype));
    if (whole) {
      convert(e, row, DType::Int32, line, dtype, RoundMode::Rint, call.span);
    } else {
      const Tile wide = dtype == DType::FP32 ? line : e.temporary_like(row, "f32");
      convert(e, row, DType::Int32, wide, DType::FP32, RoundMode::Rint, call.span);
      const Scalar first = e.converted(start, dtype, DType::FP32);
      if (first.real != 0.0) e.op("tadds", {wide, {e.text.name(first), "f32"}}, wide);
      if (dtype != DType::FP32) convert(e, wide, DType::FP32, line, dtype, RoundMode::Rint, call.span);
    }
  }
  spread_line(e, line, to, across, type.rows());
}

void move(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tile from = e.as_bytes(e.tile(call.args[0]));
  const std::vector<Side> sides = e.memory.sides(*result);
  for (size_t i = 0; i < sides.size(); ++i) {
    const Tile given = sides[i].turned ? turned(e, from) : from;
    e.op("tmov", {given}, e.destination(*result, given.rows, given.cols, i));
  }
  if (!sides.empty()) return;
  const Tile to = e.destination(*result, from.rows, from.cols);
  if (from.form.space == MemorySpace::Vec && to.form.space == MemorySpace::Vec)
    return e.copy(from, to, call.span);
  e.move_between(from, to, call.span);
}

void dim(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const ExprRef what = call.args[0];
  int64_t axis = *attribute(call, "i")->get<int64_t>();
  if (const auto* type = as<TileType>(what->type)) {
    return e.name_scalar(*result, e.number(axis == 0 || axis == -2 ? type->rows() : type->cols()));
  }
  const Tensor& tensor = e.tensor(what);
  if (axis < 0) axis += static_cast<int64_t>(tensor.extents.size());
  e.name_scalar(*result, tensor.extents.empty() ? e.number(0) : tensor.extents[static_cast<size_t>(axis)]);
}

// --- single elements

Scalar bool_of(FunctionEmitter& e, const Scalar& value, DType dtype) {
  return dtype == DType::Bool ? e.compare("ne", value, e.number(0, value.type)) : value;
}
Scalar byte_of(FunctionEmitter& e, const Scalar& value, DType dtype) {
  if (dtype != DType::Bool) return value;
  if (value.integer) return e.number(*value.integer, "i8");
  return e.named(e.pure("arith.extui " + value.name + " : i1 to i8"), "i8");
}

void read_tile(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  if (const Scalar* sent = e.received(*call.args[0])) return e.name_scalar(*result, *sent);
  const std::vector<Scalar> place = e.indices(operand(call, "idx"));
  const Tile from = e.as_bytes(e.tile(call.args[0]));
  if (from.form.space != MemorySpace::Vec) {
    e.refuse(call.span, std::string("an element of a tile in ") + name_of(from.form.space),
             "only the vector core reads elements of tiles");
    return e.name_scalar(*result, e.number(0, scalar_text(*dtype_of(call))));
  }
  e.name_scalar(*result, bool_of(e, get_element(e, from, place[0], place[1]), *dtype_of(call)));
}

void write_tile(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tile before = e.as_bytes(e.tile(call.args[0]));
  const std::vector<Scalar> place = e.indices(operand(call, "idx"));
  const Scalar value = byte_of(e, e.scalar(operand(call, "v")), *dtype_of(call));
  const Tile to = e.destination(*result, before.rows, before.cols);
  e.copy(before, to, call.span);
  set_element(e, to, place[0], place[1], value);
}

// The address of an element as a pointer to elements without a sign, and its number.
std::pair<Operand, std::string> element_at(FunctionEmitter& e, const Tensor& tensor, const ExprRef& idx) {
  const std::string at = e.text.name(e.element_number(tensor, e.indices(idx)));
  const std::string element = element_text(tensor.dtype);
  Operand pointer{tensor.pointer, "!pto.ptr<" + element + ">"};
  if (element.starts_with("u")) {
    const std::string plain = "!pto.ptr<" + element.substr(1) + ">";
    pointer = {e.once("pto.castptr " + tensor.pointer + " : " + pointer.type + " -> " + plain, "signless"),
               plain};
  }
  return {pointer, at};
}

std::string element_of_pointer(const Operand& pointer) {
  const size_t open = pointer.type.find('<');
  return pointer.type.substr(open + 1, pointer.type.size() - open - 2);
}

void read_tensor(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tensor& from = e.tensor(call.args[0]);
  if (from.pointer.empty()) return e.name_scalar(*result, e.number(0, scalar_text(*dtype_of(call))));
  e.before_scalar_read(from, isa<DistributedTensorType>(call.args[0]->type));
  auto [pointer, at] = element_at(e, from, operand(call, "idx"));
  const std::string element = element_of_pointer(pointer), name = e.text.fresh(result->name_hint);
  e.text.line(name + " = pto.load_scalar " + pointer.name + "[" + at + "] : " + pointer.type + " -> " +
              element);
  e.name_scalar(*result, bool_of(e, e.named(name, element), from.dtype));
}

void write_tensor(FunctionEmitter& e, const Call& call, const Var* result) {
  const Tensor& to = e.tensor(call.args[0]);
  if (result) e.name_tensor(*result, to);
  if (to.pointer.empty()) return;
  const Scalar value = byte_of(e, e.scalar(operand(call, "v")), to.dtype);
  auto [pointer, at] = element_at(e, to, operand(call, "idx"));
  e.text.line("pto.store_scalar " + e.text.name(value) + ", " + pointer.name + "[" + at +
              "] : " + pointer.type + ", " + value.type);
  e.write_back();
}

// --- views of tensors

void slice(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  Tensor part = e.tensor(call.args[0]);
  const std::vector<Scalar> offsets = e.indices(operand(call, "offsets"));
  std::vector<Scalar> extents = e.indices(operand(call, "shape"));
  if (part.pointer.empty() || part.extents.empty()) return e.name_tensor(*result, part);
  const Scalar first = e.element_number(part, offsets);
  if (first.integer != 0) {
    const std::string type = "!pto.ptr<" + element_text(part.dtype) + ">";
    part.pointer =
        e.pure("pto.addptr " + part.pointer + ", " + e.text.name(first) + " : " + type + " -> " + type,
               result->name_hint);
  }
  std::vector<bool> dropped(extents.size());
  if (const ExprRef dims = operand(call, "drop_dims")) {
    for (const ExprRef& dim : as<MakeTuple>(dims)->elements)
      dropped[static_cast<size_t>(*constant_value(dim))] = true;
  }
  std::vector<Scalar> strides;
  part.extents.clear();
  for (size_t i = 0; i < extents.size(); ++i) {
    if (dropped[i]) continue;
    part.extents.push_back(extents[i]);
    strides.push_back(part.strides[i]);
  }
  part.strides = std::move(strides);
  e.name_tensor(*result, std::move(part));
}

void same_tensor(FunctionEmitter& e, const Call& call, const Var* result) {
  if (result) e.name_tensor(*result, e.tensor(call.args[0]));
}

void reshape_tensor(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  Tensor tensor = e.tensor(call.args[0]);
  tensor.extents = e.indices(operand(call, "shape"));
  tensor.strides.assign(tensor.extents.size(), e.number(1));
  for (size_t i = tensor.extents.size(); i-- > 1;)
    tensor.strides[i - 1] = e.mul(tensor.strides[i], tensor.extents[i]);
  tensor.layout = Layout::ND;
  e.name_tensor(*result, std::move(tensor));
}

void transpose_tensor(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  Tensor tensor = e.tensor(call.args[0]);
  const auto rank = static_cast<int64_t>(tensor.extents.size());
  int64_t a = *attribute(call, "axis1")->get<int64_t>(), b = *attribute(call, "axis2")->get<int64_t>();
  if (a < 0) a += rank;
  if (b < 0) b += rank;
  if (rank > 0) {
    std::swap(tensor.extents[static_cast<size_t>(a)], tensor.extents[static_cast<size_t>(b)]);
    std::swap(tensor.strides[static_cast<size_t>(a)], tensor.strides[static_cast<size_t>(b)]);
  }
  tensor.layout = Layout::ND;
  e.name_tensor(*result, std::move(tensor));
}

// --- arrays

void create_array(FunctionEmitter& e, const Call&, const Var* result) {
  if (!result) return;
  const Tile array = e.array(*result);
  // They start as zeros, in every iteration of a loop.
  each(e, e.number(array.form.cols), "i", [&](const Scalar& i) {
    e.text.line("pto.local_array_set " + array.name + "[" + e.text.name(i) + "], " +
                e.text.integer(0, array.form.element) + " : " + e.array_type(array) + ", " +
                array.form.element);
  });
}

void get_array(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tile array = e.tile(call.args[0]);
  const std::string name = e.text.fresh(result->name_hint);
  e.text.line(name + " = pto.local_array_get " + array.name + "[" + e.text.name(e.index(operand(call, "i"))) +
              "] : " + e.array_type(array) + " -> " + array.form.element);
  const auto dtype = scalar_dtype(result->type);
  e.name_scalar(*result, bool_of(e, e.named(name, array.form.element), dtype.value_or(DType::Int32)));
}

void set_array(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Scalar at = e.index(operand(call, "i"));
  const ExprRef given = operand(call, "v");
  const Scalar value = byte_of(e, e.scalar(given), scalar_dtype(given->type).value_or(DType::Int32));
  const Tile before = e.tile(call.args[0]), array = e.array(*result);
  e.copy_array(before, array);
  e.text.line("pto.local_array_set " + array.name + "[" + e.text.name(at) + "], " + e.text.name(value) +
              " : " + e.array_type(array) + ", " + array.form.element);
}

// --- where it runs, and what it prints

template <const char* const* name>
void core_number(FunctionEmitter& e, const Call&, const Var* result) {
  if (!result) return;
  const std::string number = e.pure(std::string("pto.") + *name, *name + 4);
  e.name_scalar(*result, e.as_index(e.named(number, "i64")));
}
constexpr const char* block_idx = "get_block_idx";
constexpr const char* block_num = "get_block_num";
constexpr const char* subblock_idx = "get_subblock_idx";
constexpr const char* subblock_num = "get_subblock_num";

void print(FunctionEmitter& e, const Call& call, const Var*) {
  const std::string label = *attribute(call, "label")->get<std::string>();
  std::string text;
  for (char c : label) {
    if (c == '"' || c == '\\' || c == '%' || c < 32) continue;
    text += c;
  }
  if (!text.empty()) text += ": ";
  if (isa<TileType>(call.args[0]->type)) {
    const Tile tile = e.as_bytes(e.tile(call.args[0]));
    return e.text.line("pto.tprint ins(" + tile.name + " : " + tile.type() + ")");
  }
  const DType dtype = *scalar_dtype(call.args[0]->type);
  const Scalar value = e.scalar(call.args[0]);
  const bool is_real = is_float(dtype);
  Scalar shown = is_real ? e.converted(value, dtype, DType::FP32) : value;
  if (value.type == "i1")
    shown = e.named(e.pure("arith.extui " + e.text.name(value) + " : i1 to i32"), "i32");
  if (value.type == "index") shown = e.as_integer(value, "i64");
  e.text.line("pto.print ins(\"" + text + (is_real ? "%f" : "%d") + "\", " + e.text.name(shown) + " : " +
              shown.type + ")");
}

}  // namespace

void add_move_rules(RuleTable& table) {
  namespace tile = ops::pl::tile;
  namespace tensor = ops::pl::tensor;
  table.add(tile::full, {full, stored, "texpands; bytes twice in i16, INT64 from i32", {}, of_bytes});
  table.add(
      tile::arange,
      {arange, floats | small_integers | wide_integers, "tci, tcolexpand or trowexpand, tcvt", {}, of_bytes});
  table.add(tile::move, {move, stored, "tmov", {}});
  table.add(tile::read, {read_tile, stored, "tgetval", {}});
  table.add(tile::write, {write_tile, stored, "tsetval", {ResultMemory::Updates, 0}});
  table.add(tensor::read, {read_tensor, stored, "load_scalar", {}});
  table.add(tensor::write, {write_tensor, stored, "store_scalar, written back", {}});
  table.add(tensor::slice, {slice, {}, "addptr", {}});
  table.add(tensor::reshape, {reshape_tensor, {}, "nothing: another view", {}});
  table.add(tensor::transpose, {transpose_tensor, {}, "nothing: another view", {}});
  table.add(tensor::create, {nullptr,
                             {},
                             "a kernel has no memory of its own outside the core; make it in the "
                             "orchestration function and pass it",
                             {}});
  table.add(tensor::release, {nullptr, {}, "a kernel has no memory of its own outside the core", {}});
  table.add(ops::pl::no_dep, {same_tensor, {}, "nothing: the tensor itself", {}});
  table.add(ops::pl::no_task, {nullptr, {}, "task ids are the orchestration's", {}});
  table.add(ops::pld::system::defer_wait,
            {nullptr, {}, "it completes a task of the orchestration and runs on no core", {}});
  namespace array = ops::pl::array;
  table.add(array::create, {create_array, {}, "declare_local_array", {}});
  table.add(array::get, {get_array, {}, "local_array_get", {}});
  table.add(array::set, {set_array, {}, "local_array_set", {ResultMemory::Updates, 0}});
  table.add(tile::get_block_idx, {core_number<&block_idx>, {}, "get_block_idx", {}});
  table.add(tile::get_block_num, {core_number<&block_num>, {}, "get_block_num", {}});
  table.add(tile::get_subblock_idx, {core_number<&subblock_idx>, {}, "get_subblock_idx", {}});
  table.add(tile::get_subblock_num, {core_number<&subblock_num>, {}, "get_subblock_num", {}});
  table.add(ops::pl::print, {print, {}, "print, tprint", {}});
  table.add(tile::create, {create, stored, "alloc_tile", {}});
  table.add(tile::load, {load, stored, "tload; columns through a `dn` view", {}});
  table.add(tile::store, {store, stored, "tstore, with atomicType to add", {}});
  table.add(tile::dim, {dim, {}, "a constant", {}});
  table.add(tensor::dim, {dim, {}, "a constant or a parameter", {}});
}

}  // namespace tilewire::target::pto
