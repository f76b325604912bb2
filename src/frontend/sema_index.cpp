// Subscripts: NumPy's rules for reading and writing parts of tensors, tiles, arrays and tuples.
#include "frontend/sema_index.h"

#include "frontend/fold.h"
#include "frontend/sema_expr.h"
#include "frontend/sema_host.h"
#include "frontend/sema_name.h"
#include "frontend/sema_type.h"
#include "ir/function_kinds.h"
#include "ir/printer.h"
#include "ops/affine.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {
namespace {

// The box a subscript names: one offset and extent per dimension; `dropped` where the index was a scalar.
struct Region {
  ir::ExprList offsets, extents;
  std::vector<bool> dropped;
  bool all_scalar = true;
  bool everything = true;  // `[...]` or `[:]` throughout
};

bool all_ones(const ir::ExprList& extents, size_t count);
std::string shape_text(const ir::ExprList& shape);

}  // namespace

Value subscript_known(Sema& sema, const Value& base, const Expr& e);
Value slice_known(Sema& sema, const ListValue& list, const Expr& slice);
Value subscript_tensor(Sema& sema, const ir::ExprRef& base, const Expr& e);
bool dimension(Sema& sema, const ir::ExprRef& size, const Expr* item, size_t number, const Expr& e,
               Region& out);
void write_region(Sema& sema, const ir::ExprRef& base, const ir::ExprRef& part, const Region& r,
                  const ir::ExprRef& offsets, const Stmt& stmt,
                  const std::function<void(const ir::ExprRef&)>& rebind);
ir::ExprRef fill_region(Sema& sema, const ir::ExprRef& base, const Region& r, const Value& value,
                        const Span& at);

Value subscript(Sema& sema, const Expr& e) {
  Value base = eval(sema, *e.left);
  if (base.is_error()) return {};
  if (const auto* form = base.get<FormValue>()) return type_subscript(sema, *form, e);
  if (base.is<HostObjectValue>()) return ask_host(sema, e);
  const auto* expr = base.get<ir::ExprRef>();
  if (!expr) return subscript_known(sema, base, e);
  if (!require_function(sema, e)) return {};
  ir::ExprRef value = operand(sema, base, sema.span(*e.left));
  if (!value) return {};
  if (ir::isa<ir::TensorType>(value->type) || ir::isa<ir::TileType>(value->type))
    return subscript_tensor(sema, value, e);
  if (const auto* tuple = ir::as<ir::TupleType>(value->type)) {
    if (e.items.size() != 1 || e.items[0]->kind == ExprKind::Slice) {
      sema.report(diag::tuple_index, e.range, {std::to_string(tuple->types.size())})
          .with_help("take one element, `t[0]`, or unpack it: `a, b = t`");
      return {};
    }
    auto index = known_int(sema, *e.items[0], "the index of a tuple");
    if (!index) return {};
    int64_t size = static_cast<int64_t>(tuple->types.size());
    int64_t wrapped = *index < 0 ? *index + size : *index;
    if (wrapped < 0 || wrapped >= size) {
      sema.report(diag::tuple_index, e.range, {std::to_string(size)})
          .with_help("use an index from 0 to " + std::to_string(size - 1));
      return {};
    }
    return ir::ExprRef(ir::make<ir::TupleGet>(sema.span(e), value, wrapped));
  }
  if (ir::isa<ir::ArrayType>(value->type)) {
    if (e.items.size() != 1 || e.items[0]->kind == ExprKind::Slice) {
      sema.report(diag::array_subscript, e.range).with_help("read the elements one by one: `a[i]`");
      return {};
    }
    ir::ExprRef index =
        index_expr(sema, eval(sema, *e.items[0]), sema.span(*e.items[0]), "the index of an array");
    ir::ExprRef result = index ? op_call(sema, "pl.array.get", {value, index}, sema.span(e)) : nullptr;
    return result ? Value(result) : Value();
  }
  sema.report(diag::not_indexable, e.range, {describe(base)})
      .with_help("index a tensor, tile, array, tuple or list");
  return {};
}

Value subscript_known(Sema& sema, const Value& base, const Expr& e) {
  if (const auto* list = base.get<ListValue>()) {
    if (e.items.size() == 1 && e.items[0]->kind == ExprKind::Slice)
      return slice_known(sema, *list, *e.items[0]);
    auto index = e.items.size() == 1 ? known_int(sema, *e.items[0], "the index of a list") : std::nullopt;
    if (!index) {
      if (e.items.size() != 1)
        sema.report(diag::not_indexable, e.range, {describe(base) + " with several subscripts"});
      return {};
    }
    int64_t size = static_cast<int64_t>(list->items->size());
    int64_t wrapped = *index < 0 ? *index + size : *index;
    if (wrapped < 0 || wrapped >= size) {
      sema.report(diag::list_index, e.range, {std::to_string(*index), std::to_string(size)})
          .with_help(size == 0 ? "the list is empty" : "use an index from 0 to " + std::to_string(size - 1));
      return {};
    }
    return (*list->items)[wrapped];
  }
  if (const auto* dict = base.get<DictValue>(); dict && e.items.size() == 1) {
    Value key = eval(sema, *e.items[0]);
    for (const auto& [k, v] : *dict->items) {
      if (known_equal(k, key)) return v;
    }
    if (!key.is_error()) sema.report(diag::no_such_key, e.range, {to_text(key)});
    return {};
  }
  Diagnostic& d = sema.report(diag::not_indexable, e.range, {describe(base)});
  const auto* function = base.get<FunctionValue>();
  if (function && ir::is_kernel(function->function->type) && e.items.size() == 1) {
    const SyntaxTree& tree = *sema.current_scope->tree;
    d.with_help("to run it as several blocks, call it in a scope: with pl.spmd(" +
                std::string(tree.text(e.items[0]->range)) + "): " + std::string(tree.text(e.left->range)) +
                "(...)");
  } else {
    d.with_help("index a tensor, tile, array, tuple or list");
  }
  return {};
}

Value slice_known(Sema& sema, const ListValue& list, const Expr& slice) {
  int64_t size = static_cast<int64_t>(list.items->size()), bounds[2] = {0, size};
  for (int i = 0; i < 2; ++i) {
    if (!slice.items[i]) continue;
    auto value = known_int(sema, *slice.items[i], "a bound of a list slice");
    if (!value) return {};
    bounds[i] = std::clamp<int64_t>(*value < 0 ? *value + size : *value, 0, size);
  }
  if (slice.items[2]) {
    sema.report(diag::slice_step, slice.items[2]->range);
    return {};
  }
  std::vector<Value> items;
  for (int64_t i = bounds[0]; i < bounds[1]; ++i) items.push_back((*list.items)[i]);
  return make_list(std::move(items), list.is_tuple);
}

ir::ExprRef index_expr(Sema& sema, const Value& value, const Span& at, const char* what) {
  if (value.is_error()) return nullptr;
  ir::ExprRef expr = value.expr() || value.is<int64_t>() ? operand(sema, value, at) : nullptr;
  auto dtype = expr ? ir::scalar_dtype(expr->type) : std::nullopt;
  if (dtype && ir::is_integer(*dtype)) return expr;
  sema.report(diag::index_type, at, {what, describe(value)}).with_label("this is " + to_text(value));
  return nullptr;
}

bool region(Sema& sema, const ir::ExprList& shape, const Expr& e, Region& out) {
  size_t rank = shape.size();
  std::vector<const Expr*> items(e.items.begin(), e.items.end());
  auto ellipsis =
      std::find_if(items.begin(), items.end(), [](const Expr* i) { return i->kind == ExprKind::Ellipsis; });
  if (ellipsis != items.end()) {
    size_t given = items.size() - 1;
    auto at = items.erase(ellipsis);
    if (given < rank) items.insert(at, rank - given, nullptr);
  }
  if (items.size() > rank) {
    sema.report(diag::too_many_subscripts, e.range, {std::to_string(rank), std::to_string(items.size())})
        .with_help("write at most one subscript per dimension; missing ones mean `:`");
    return false;
  }
  items.resize(rank, nullptr);
  for (size_t d = 0; d < rank; ++d) {
    if (!dimension(sema, shape[d], items[d], d, e, out)) return false;
  }
  return true;
}

// One dimension of a subscript: a scalar, a slice, or nothing (all of it).
bool dimension(Sema& sema, const ir::ExprRef& size, const Expr* item, size_t number, const Expr& e,
               Region& out) {
  auto known_size = ir::constant_value(size);
  auto wrap = [&](ir::ExprRef expr) -> ir::ExprRef {
    auto value = ir::constant_value(expr);
    if (!value || *value >= 0) return expr;  // a negative constant counts from the end, as in NumPy
    return ops::affine_sum(size, 1, expr, 1);
  };
  auto outside = [&](const Expr& at, int64_t value, const std::string& allowed) {
    sema.report(diag::index_out_of_range, at.range,
                {std::to_string(value), std::to_string(number), std::to_string(*known_size)})
        .with_help(allowed);
    return false;
  };
  if (!item) {
    out.offsets.push_back(ir::const_index(0, sema.span(e)));
    out.extents.push_back(size);
    out.dropped.push_back(false);
    out.all_scalar = false;
    return true;
  }
  if (item->kind != ExprKind::Slice) {
    ir::ExprRef index = index_expr(sema, eval(sema, *item), sema.span(*item), "a subscript");
    if (!index) return false;
    ir::ExprRef wrapped = wrap(index);
    auto value = ir::constant_value(wrapped);
    if (value && known_size && (*value < 0 || *value >= *known_size))
      return outside(*item, *ir::constant_value(index),
                     "use a subscript from 0 to " + std::to_string(*known_size - 1) + ", or -1 for the last");
    out.offsets.push_back(wrapped);
    out.extents.push_back(ir::const_index(1, sema.span(*item)));
    out.dropped.push_back(true);
    out.everything = false;
    return true;
  }
  if (item->items[2]) {
    sema.report(diag::slice_step, item->items[2]->range)
        .with_help("load the elements one by one, or use pl.gather");
    return false;
  }
  ir::ExprRef start = ir::const_index(0, sema.span(*item)), stop = size;
  for (int i = 0; i < 2; ++i) {
    const Expr* bound = item->items[i];
    if (!bound) continue;
    ir::ExprRef expr = index_expr(sema, eval(sema, *bound), sema.span(*bound), "a bound of a slice");
    if (!expr) return false;
    (i == 0 ? start : stop) = wrap(expr);
    auto value = ir::constant_value(i == 0 ? start : stop);
    if (value && known_size && (*value < 0 || *value > *known_size))
      return outside(*bound, *ir::constant_value(expr),
                     "use a bound from 0 to " + std::to_string(*known_size) + ": slices are not clipped");
  }
  ir::ExprRef extent = ops::affine_sum(stop, 1, start, -1);
  if (auto value = ir::constant_value(extent); value && *value <= 0) {
    sema.report(diag::empty_slice, item->range).with_help("write `start:stop` with stop above start");
    return false;
  }
  if (item->items[0] || item->items[1]) out.everything = false;
  out.offsets.push_back(start);
  out.extents.push_back(extent);
  out.dropped.push_back(false);
  out.all_scalar = false;
  return true;
}

Value subscript_tensor(Sema& sema, const ir::ExprRef& base, const Expr& e) {
  const auto* tensor = ir::as<ir::TensorType>(base->type);
  const auto* tile = ir::as<ir::TileType>(base->type);
  Region r;
  if (!region(sema, tensor ? tensor->shape : tile->shape, e, r)) return {};
  Span at = sema.span(e);
  auto result = [](const ir::ExprRef& expr) { return expr ? Value(expr) : Value(); };
  ir::ExprRef offsets = ir::make<ir::MakeTuple>(at, r.offsets);
  if (r.all_scalar && !r.dropped.empty()) {
    return result(op_call(sema, tensor ? "pl.tensor.read" : "pl.tile.read", {base, offsets}, at));
  }
  if (r.everything) return base;
  ir::ExprRef shape = ir::make<ir::MakeTuple>(at, r.extents);
  if (tile) {
    for (bool dropped : r.dropped) {
      if (!dropped) continue;
      sema.report(diag::tile_scalar_index, e.range)
          .with_help("write `t[i:i+1, :]`: a tile always has two dimensions");
      return {};
    }
    return result(op_call(sema, "pl.tile.slice", {base, shape, offsets}, at));
  }
  std::vector<ir::OpKeyword> keywords;
  ir::ExprList drop;
  for (size_t d = 0; d < r.dropped.size(); ++d) {
    if (r.dropped[d]) drop.push_back(ir::const_index(static_cast<int64_t>(d), at));
  }
  if (!drop.empty()) {
    keywords.push_back({"drop_dims", {ir::ExprRef(ir::make<ir::MakeTuple>(at, std::move(drop))), at}, at});
  }
  return result(op_call(sema, "pl.tensor.slice", {base, shape, offsets}, at, std::move(keywords)));
}

void assign_subscript(Sema& sema, const Expr& target, const Value& value, const Stmt& stmt) {
  if (target.left->kind != ExprKind::Name) {
    sema.report(diag::assign_target, target.range)
        .with_help("write to a name: `part = x[0]`, then `part[1] = v`");
    return;
  }
  Value base_value = lookup(sema, *target.left);
  if (base_value.is_error() || value.is_error() || !require_function(sema, target)) return;
  const auto* base = base_value.get<ir::ExprRef>();
  Span at = sema.span(stmt.range);
  std::string hint = sema.name_of(target.left->name);
  auto rebind = [&](const ir::ExprRef& call) {
    if (call) bind(sema, target.left->name, ir::ExprRef(emit_assign(sema, call, hint, at)));
  };
  if (base && ir::isa<ir::ArrayType>((*base)->type) && target.items.size() == 1) {
    ir::ExprRef index =
        index_expr(sema, eval(sema, *target.items[0]), sema.span(*target.items[0]), "the index of an array");
    ir::ExprRef element = index ? operand(sema, value, at) : nullptr;
    if (element) rebind(op_call(sema, "pl.array.set", {*base, index, element}, at));
    return;
  }
  const auto* tensor = base ? ir::as<ir::TensorType>((*base)->type) : nullptr;
  const auto* tile = base ? ir::as<ir::TileType>((*base)->type) : nullptr;
  if (!tensor && !tile) {
    sema.report(diag::not_assignable, target.range, {describe(base_value)})
        .with_help("write to elements of tensors, tiles and arrays only");
    return;
  }
  Region r;
  if (!region(sema, tensor ? tensor->shape : tile->shape, target, r)) return;
  ir::ExprRef offsets = ir::make<ir::MakeTuple>(sema.span(target), r.offsets);
  ir::ExprRef part = operand(sema, value, sema.span(*stmt.value));
  if (!part) return;
  if (ir::isa<ir::ScalarType>(part->type)) {
    if (r.all_scalar) {
      rebind(op_call(sema, tensor ? "pl.tensor.write" : "pl.tile.write", {*base, offsets, part}, at));
      return;
    }
    part = fill_region(sema, *base, r, value, at);
    if (!part) return;
  }
  write_region(sema, *base, part, r, offsets, stmt, rebind);
}

void write_region(Sema& sema, const ir::ExprRef& base, const ir::ExprRef& part, const Region& r,
                  const ir::ExprRef& offsets, const Stmt& stmt,
                  const std::function<void(const ir::ExprRef&)>& rebind) {
  Span at = sema.span(stmt.range);
  const auto* part_tile = ir::as<ir::TileType>(part->type);
  const auto* part_tensor = ir::as<ir::TensorType>(part->type);
  if (!part_tile && !part_tensor) {
    sema.report(diag::not_writable_value, stmt.value->range, {ir::to_string(part->type)})
        .with_help("write a tile, a tensor or a scalar");
    return;
  }
  // The extents written must be those of the value, once dimensions of scalar subscripts are dropped.
  ir::ExprList kept;
  for (size_t d = 0; d < r.extents.size(); ++d) {
    if (!r.dropped[d]) kept.push_back(r.extents[d]);
  }
  const ir::ExprList& given = part_tile ? part_tile->shape : part_tensor->shape;
  size_t common = std::min(kept.size(), given.size());
  bool agrees = part_tile ? kept.size() <= 2 || all_ones(kept, kept.size() - 2) : kept.size() == given.size();
  for (size_t i = 1; i <= common && agrees; ++i) {
    auto want = ir::constant_value(kept[kept.size() - i]), have = ir::constant_value(given[given.size() - i]);
    agrees = !want || !have || *want == *have;
  }
  if (agrees && part_tile && kept.size() == 1) agrees = part_tile->rows() == 1;
  if (!agrees) {
    sema.report(diag::region_shape, stmt.value->range, {shape_text(given), shape_text(kept)})
        .with_help("write to a region of the value's shape, or write a part of the value");
    return;
  }
  if (ir::isa<ir::TileType>(base->type)) {
    rebind(op_call(sema, "pl.tile.assemble", {base, part, offsets}, at));
  } else if (part_tile) {
    rebind(op_call(sema, "pl.tile.store", {part, offsets, base}, at));
  } else {
    ir::ExprRef whole = part;
    if (kept.size() < r.extents.size()) {  // scalar subscripts: restore the dimensions of one
      ir::ExprRef shaped =
          op_call(sema, "pl.tensor.reshape", {part, ir::make<ir::MakeTuple>(at, r.extents)}, at);
      whole = shaped ? operand(sema, Value(shaped), at, "part") : nullptr;
    }
    rebind(op_call(sema, "pl.tensor.assemble", {base, whole, offsets}, at));
  }
}

namespace {

bool all_ones(const ir::ExprList& extents, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (ir::constant_value(extents[i]) != 1) return false;
  }
  return true;
}

std::string shape_text(const ir::ExprList& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + ir::to_string(shape[i]);
  return out + "]";
}

}  // namespace

// A tile (in kernels) or tensor of the region's shape, every element the scalar: `out[0:4, :] = 0`.
ir::ExprRef fill_region(Sema& sema, const ir::ExprRef& base, const Region& r, const Value& value,
                        const Span& at) {
  const auto* tensor = ir::as<ir::TensorType>(base->type);
  const auto* tile = ir::as<ir::TileType>(base->type);
  ir::DType dtype = tensor ? tensor->dtype : tile->dtype;
  ir::ExprList kept;
  for (size_t d = 0; d < r.extents.size(); ++d) {
    if (!r.dropped[d]) kept.push_back(r.extents[d]);
  }
  if (kept.size() == 1) kept.insert(kept.begin(), ir::const_index(1, at));
  std::vector<ir::OpArgument> args;
  args.push_back({ir::ExprRef(ir::make<ir::MakeTuple>(at, std::move(kept))), at});
  std::vector<ir::OpKeyword> keywords;
  keywords.push_back({"dtype", {ir::AttrValue{dtype}, at}, at});
  keywords.push_back({"value", argument(sema, value, at), at});
  ir::ExprRef filled =
      make_call(sema, *sema.ops.find("pl.tile.full"), std::move(args), std::move(keywords), at);
  return filled ? operand(sema, Value(filled), at, "fill") : nullptr;
}

}  // namespace tilewire::frontend
