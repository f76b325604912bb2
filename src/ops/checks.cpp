#include "ops/checks.h"

#include <tuple>

#include "ir/argument_help.h"
#include "ir/printer.h"
#include "ir/written.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

const DTypeSet numbers = {[](DType d) { return is_integer(d) || is_float(d); }, "integers and floats"};
const DTypeSet floats = {[](DType d) { return is_float(d); }, "floats"};
const DTypeSet integers = {[](DType d) { return is_integer(d); }, "integers"};
const DTypeSet integers_or_bool = {[](DType d) { return is_integer(d) || d == DType::Bool; },
                                   "integers and BOOL"};

std::string name_of(DType dtype) {
  return "pl." + std::string(info(dtype).name);
}

std::string written_at(const Diagnostic& d, const OpCheck& c, std::string_view operand) {
  auto ends = [](const Span& s) { return std::tie(s.line, s.column, s.end_line, s.end_column); };
  const bool placed = ends(d.span) != ends(c.span);
  return written(placed ? &d.span : nullptr, c.arg(operand));
}

bool check_dtype(OpCheck& c, std::string_view operand, DType dtype, const DTypeSet& allowed) {
  if (allowed.holds(dtype)) return true;
  Diagnostic& d = c.error(diag::dtype_not_allowed, operand, {c.op.qualified(), name_of(dtype)});
  d.with_help("it works on " + std::string(allowed.text) + ": convert the operand, pl.cast(" +
              written_at(d, c, operand) + ", " +
              name_of(allowed.holds(DType::FP32) ? DType::FP32 : DType::Int32) + ")");
  return false;
}

bool check_same_dtype(OpCheck& c, std::string_view a, std::string_view b) {
  DType x = *c.dtype(a);
  DType y = *c.dtype(b);
  if (x == y) return true;
  Diagnostic& d = c.error(diag::dtype_mismatch, b, {c.op.qualified(), name_of(x), name_of(y)});
  d.with_help("convert one of them: pl.cast(" + written_at(d, c, b) + ", " + name_of(x) + ")");
  return false;
}

bool check_same_shape(OpCheck& c, std::string_view a, std::string_view b) {
  auto x = shaped(c.arg(a));
  auto y = shaped(c.arg(b));
  if (may_equal(*x->shape, *y->shape)) return true;
  c.error(diag::shape_mismatch, b, {c.op.qualified(), shape_text(*x->shape), shape_text(*y->shape)});
  return false;
}

bool check_storage_dtype(OpCheck& c, const char* what, DType dtype) {
  if (dtype != DType::TaskId) return true;
  std::vector<std::string> arguments = {what, name_of(dtype)};
  bool given = c.op.param_index("dtype") >= 0;
  Diagnostic& d = given ? c.error(diag::storage_dtype, "dtype", std::move(arguments))
                        : c.error(diag::storage_dtype, std::move(arguments));
  d.with_help("keep task ids in an array: pl.array.create(n, pl.TASK_ID)");
  return false;
}

bool check_length(OpCheck& c, std::string_view list, size_t count) {
  size_t found = c.list(list).size();
  if (found == count) return true;
  Diagnostic& d =
      c.error(diag::list_length, list,
              {c.op.qualified(), std::to_string(count), std::string(list), std::to_string(found)});
  const ListSubject subject = subject_of(c.op, c.op.param_index(list));
  const ExprRef* tensor = subject.param < 0 ? nullptr : &c.args[c.op.operand_slots[subject.param]];
  std::string text = written_at(d, c, list);
  if (!tensor || !*tensor || text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  // The entries as one text: what they are is as the program has it.
  std::vector<std::string> entries;
  text = text.substr(1, text.size() - 2);
  if (found > 0) entries.push_back(text);
  const size_t rank = count >= found && found > 0 ? count - found + 1 : count;
  d.with_help(list_help(std::move(entries), subject, found > count ? 0 : rank, to_string((*tensor)->type)));
  return false;
}

bool check_peer(OpCheck& c, std::string_view peer) {
  auto value = constant_value(c.arg(peer));
  if (!value || *value >= 0) return true;
  c.error(diag::negative_peer, peer, {c.op.qualified(), std::to_string(*value)})
      .with_help("take it modulo the number of ranks: (pld.rank(ctx) - 1) % pld.nranks(ctx)");
  return false;
}

bool check_members(OpCheck& c) {
  return !c.has("members") || check_length(c, "members", 3);
}

namespace {

// How messages about a region are reported: the message, its words after the name of the op, and its label.
using Reporter = std::function<Diagnostic&(Diag, std::vector<std::string>)>;

bool check_start(const Reporter& report, size_t i, int64_t start) {
  if (start >= 0) return true;
  report(diag::negative_offset, {std::to_string(start), std::to_string(i)})
      .with_help("pass an offset of 0 or more: negative offsets do not count from the end");
  return false;
}

Diagnostic& out_of_bounds(const Reporter& report, size_t i, const std::string& last, int64_t size) {
  return report(diag::region_out_of_bounds, {last, std::to_string(i), std::to_string(size)});
}

bool region_inside(const Reporter& report, const ExprList& starts, const ExprList& extents,
                   const ExprList& shape) {
  bool good = true;
  for (size_t i = 0; i < starts.size() && i < shape.size() && i < extents.size(); ++i) {
    auto start = constant_value(starts[i]);
    auto extent = constant_value(extents[i]);
    auto size = constant_value(shape[i]);
    if (start && !check_start(report, i, *start)) {
      good = false;
      continue;
    }
    // An unknown start is at least 0, an unknown extent too.
    int64_t end = 0;
    bool overflow = __builtin_add_overflow(start.value_or(0), extent.value_or(0), &end);
    if (!size || (!overflow && end <= *size)) continue;
    good = false;
    out_of_bounds(report, i, overflow ? "?" : std::to_string(end - 1), *size)
        .with_label("offset " + to_string(starts[i]) + ", extent " + to_string(extents[i]));
  }
  return good;
}

Reporter at_operand(OpCheck& c, std::string_view operand) {
  return [&c, operand](Diag id, std::vector<std::string> words) -> Diagnostic& {
    words.insert(words.begin(), c.op.qualified());
    return c.error(id, operand, std::move(words));
  };
}

// The extents of a tile in a tensor of that rank.
ExprList extents_in(const TileType& type, size_t rank) {
  if (rank == 1) return {type.shape[1]};
  static const ExprRef one = const_index(1);
  ExprList extents(rank, one);
  extents[rank - 2] = type.shape[0];
  extents[rank - 1] = type.shape[1];
  return extents;
}

}  // namespace

bool check_region(OpCheck& c, std::string_view offsets, const ExprList& extents, const ExprList& shape) {
  return region_inside(at_operand(c, offsets), c.list(offsets), extents, shape);
}

bool check_whole_tiles(const Call& call, const std::function<bool(const Expr&)>& is_whole,
                       Diagnostics& diags) {
  const Op& op = *call.op;
  auto operand = [&](int param) { return param < 0 ? ExprRef() : call.args[op.operand_slots[param]]; };
  for (const Effect& effect : op.effects) {
    if (!happens(effect, call) || effect.offsets_param < 0 || effect.extent_param < 0) continue;
    if (op.params[effect.extent_param].kind != OpParam::Operand) continue;
    const ExprRef tile = operand(effect.extent_param), list = operand(effect.offsets_param);
    const auto* type = tile ? as<TileType>(tile->type) : nullptr;
    const auto* offsets = as<MakeTuple>(list);
    const auto* target = as<TensorType>(operand(effect.param)->type);
    if (!type || !offsets || !target || !is_whole(*tile)) continue;
    const Span at = list->span ? list->span : call.span;
    const Reporter report = [&](Diag id, std::vector<std::string> words) -> Diagnostic& {
      words.insert(words.begin(), op.qualified());
      return diags.report(id, at, std::move(words));
    };
    const ExprList extents = extents_in(*type, target->shape.size());
    if (!region_inside(report, offsets->elements, extents, target->shape)) return false;
  }
  return true;
}

bool check_starts(OpCheck& c, std::string_view offsets, const ExprList& shape) {
  const ExprList& starts = c.list(offsets);
  bool good = true;
  for (size_t i = 0; i < starts.size() && i < shape.size(); ++i) {
    auto start = constant_value(starts[i]);
    auto size = constant_value(shape[i]);
    if (!start) continue;
    const Reporter report = at_operand(c, offsets);
    if (!check_start(report, i, *start)) {
      good = false;
    } else if (size && *start >= *size) {
      good = false;
      out_of_bounds(report, i, std::to_string(*start), *size).with_label("offset " + to_string(starts[i]));
    }
  }
  return good;
}

bool check_element(OpCheck& c, std::string_view offsets, const ExprList& shape) {
  if (!check_length(c, offsets, shape.size())) return false;
  return check_starts(c, offsets, shape);
}

bool check_element_value(OpCheck& c, std::string_view value, DType dtype) {
  DType found = *c.dtype(value);
  if (found == dtype) return true;
  Diagnostic& d = c.error(diag::element_dtype, value, {c.op.qualified(), name_of(dtype), name_of(found)});
  d.with_help("convert it: pl.cast(" + written_at(d, c, value) + ", " + name_of(dtype) + ")");
  return false;
}

std::optional<size_t> checked_axis(OpCheck& c, std::string_view attr, size_t rank) {
  int64_t axis = *c.attr(attr)->get<int64_t>();
  int64_t n = static_cast<int64_t>(rank);
  if (axis >= -n && axis < n) return axis < 0 ? axis + n : axis;
  c.error(diag::axis_out_of_range, attr, {c.op.qualified(), std::to_string(axis), std::to_string(rank)})
      .with_help(rank == 0 ? "the operand has no dimensions"
                           : "use an axis from 0 to " + std::to_string(rank - 1) + ", or -1 for the last");
  return std::nullopt;
}

namespace {

bool check_tile_extent(OpCheck& c, std::string_view list, const ExprRef& extent) {
  auto value = constant_value(extent);
  if (!value) {
    // An extent of its own stands in the text; a variable's place is where it was defined.
    const bool placed = extent->span && !isa<Var>(extent);
    c.error(diag::extent_not_constant, list, {written(placed ? &extent->span : nullptr, extent)})
        .with_help("use a constant that covers the largest case, and pass the part in use as `valid_shape`");
    return false;
  }
  if (*value > 0) return true;
  c.error(diag::extent_not_positive, list, {"tile", std::to_string(*value)});
  return false;
}

// INDEX constants, whatever integer dtype the program wrote them in: types compare by structure.
ExprRef as_index(const ExprRef& extent) {
  const auto* constant = as<ConstInt>(extent);
  return constant && constant->dtype != DType::Index ? ExprRef(const_index(constant->value)) : extent;
}

}  // namespace

std::optional<TileShape> checked_tile_shape(OpCheck& c, std::string_view list) {
  const ExprList& extents = c.list(list);
  if (extents.empty()) {
    c.error(diag::rank_too_small, list, {c.op.qualified(), "1", "0"});
    return std::nullopt;
  }
  bool good = true;
  for (const ExprRef& extent : extents) good = check_tile_extent(c, list, extent) && good;
  if (!good) return std::nullopt;
  size_t rank = extents.size();
  for (size_t i = 0; i + 2 < rank; ++i) {
    if (*constant_value(extents[i]) == 1) continue;
    c.error(diag::leading_extent, list, {shape_text(extents)})
        .with_help("loop over the leading dimensions, or reshape the tensor to two");
    return std::nullopt;
  }
  TileShape shape;
  shape.rows_expr = rank == 1 ? ExprRef(const_index(1)) : as_index(extents[rank - 2]);
  shape.cols_expr = as_index(extents[rank - 1]);
  shape.rows = *constant_value(shape.rows_expr);
  shape.cols = *constant_value(shape.cols_expr);
  return shape;
}

std::optional<TileShape> checked_new_tile_shape(OpCheck& c, std::string_view list) {
  if (!check_length(c, list, 2)) return std::nullopt;
  return checked_tile_shape(c, list);
}

bool check_tensor_shape(OpCheck& c, std::string_view list) {
  bool good = true;
  for (const ExprRef& extent : c.list(list)) {
    auto value = constant_value(extent);
    if (!value || *value > 0) continue;
    c.error(diag::extent_not_positive, list, {"tensor", std::to_string(*value)});
    good = false;
  }
  return good;
}

bool check_valid_shape(OpCheck& c, std::string_view list, const ExprList& shape) {
  if (!c.has(list)) return true;
  if (!check_length(c, list, shape.size())) return false;
  const ExprList& valid = c.list(list);
  bool good = true;
  for (size_t i = 0; i < valid.size(); ++i) {
    auto value = constant_value(valid[i]);
    auto extent = constant_value(shape[i]);
    if (!value || (*value >= 0 && (!extent || *value <= *extent))) continue;
    good = false;
    if (*value < 0) {
      c.error(diag::extent_not_positive, list, {"tile", std::to_string(*value)});
    } else {
      c.error(diag::valid_shape_too_large, list,
              {std::to_string(*value), std::to_string(*extent), std::to_string(i)});
    }
  }
  return good;
}

std::optional<ExprList> region_of_tile(OpCheck& c, std::string_view tile, size_t rank) {
  const TileType& type = *c.tile(tile);
  if (rank == 0) {
    c.error(diag::rank_too_small, {c.op.qualified(), "1", "0"});
    return std::nullopt;
  }
  if (rank == 1) {
    if (type.rows() == 1) return extents_in(type, rank);
    c.error(diag::tile_into_vector, tile, {c.op.qualified(), std::to_string(type.rows())})
        .with_help("reshape the tile to one row first: pl.tile.reshape(t, [1, n])");
    return std::nullopt;
  }
  return extents_in(type, rank);
}

bool normalise_int32(OpCheck& c, std::string_view operand) {
  const ExprRef& value = c.arg(operand);
  if (scalar_dtype(value->type) == DType::Int32) return true;
  if (const auto* constant = as<ConstInt>(value)) {
    if (!fits(constant->value, DType::Int32)) {
      c.error(diag::narrowed_value, operand,
              {std::to_string(constant->value), c.op.qualified(), std::string(operand)});
      return false;
    }
    c.set(operand, make<ConstInt>(value->span, constant->value, DType::Int32));
    return true;
  }
  // A variable's place is its definition; a value that does not fit is a mistake of this call.
  ExprRef cast = scalar_cast(value, DType::Int32);
  const auto& made = static_cast<const Call&>(*cast);
  c.set(operand, make<Call>(c.span, made.op, made.args, made.attrs, made.type));
  return true;
}

bool check_signal(OpCheck& c, std::string_view signal) {
  DType dtype = c.tensor(signal)->dtype;
  if (dtype == DType::Int32) return true;
  c.error(diag::signal_not_int32, signal, {c.op.qualified(), name_of(dtype)})
      .with_help("allocate the signal on the host: s = pld.alloc_signal(n)");
  return false;
}

bool check_atomic(OpCheck& c, std::string_view operand) {
  if (c.enum_attr<AtomicType>("atomic") == AtomicType::None_) return true;
  DType dtype = *c.dtype(operand);
  bool good = dtype == DType::FP32 || dtype == DType::FP16 || dtype == DType::BF16 ||
              (is_integer(dtype) && bits(dtype) >= 16);
  if (!good) {
    c.error(diag::atomic_dtype, operand, {name_of(dtype)})
        .with_help("use FP32, FP16, BF16 or an integer type of 16 bits or more");
  }
  return good;
}

ExprRef zeros(size_t count, const Span& span) {
  return make<MakeTuple>(span, ExprList(count, ExprRef(const_index(0))));
}

}  // namespace tilewire::ops
