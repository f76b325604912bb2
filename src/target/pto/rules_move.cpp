// Making tiles, moving them to and from memory, single elements, views of tensors.
#include "ops/handles.h"
#include "target/pto/emitter.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

const TileType& tile_type_of(const Var& var) {
  return static_cast<const TileType&>(*var.type);
}

// What a call says is valid of the tile that it makes.
std::pair<Extent, Extent> stated_extent(FunctionEmitter& e, const Call& call, const TileType& type) {
  const ExprRef list = operand(call, "valid_shape");
  if (!list) return {e.number(type.rows()), e.number(type.cols())};
  std::vector<Scalar> stated = e.indices(list);
  const Scalar cols = stated.back();
  const Scalar rows = stated.size() > 1 ? stated[stated.size() - 2] : e.number(type.rows());
  return {rows, cols};
}

void create(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  auto [rows, cols] = stated_extent(e, call, tile_type_of(*result));
  e.destination(*result, rows, cols);
}

void load(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  Tensor& from = e.tensor(operand(call, "t"));
  const ExprRef offsets = operand(call, "offsets");
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

}  // namespace

void add_move_rules(RuleTable& table) {
  namespace tile = ops::pl::tile;
  namespace tensor = ops::pl::tensor;
  table.add(tile::create, {create, stored, "alloc_tile", {}});
  table.add(tile::load, {load, stored, "tload; columns through a `dn` view", {}});
  table.add(tile::store, {store, stored, "tstore, with atomicType to add", {}});
  table.add(tile::dim, {dim, {}, "a constant", {}});
  table.add(tensor::dim, {dim, {}, "a constant or a parameter", {}});
}

}  // namespace tilewire::target::pto
