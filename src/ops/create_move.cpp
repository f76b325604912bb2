// Making tiles and tensors, moving data between them, single elements.
#include "ir/expansion.h"
#include "ir/printer.h"
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "ops/handles.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

std::optional<MemorySpace> memory_attr(const OpCheck& c) {
  const AttrValue* value = c.attr("target_memory");
  if (!value) return std::nullopt;
  return static_cast<MemorySpace>(value->get<EnumValue>()->value);
}

DType dtype_attr(const OpCheck& c) {
  return *c.attr("dtype")->get<DType>();
}

// --- new tiles and tensors

TypeRef create_tile(OpCheck& c) {
  bool good = check_storage_dtype(c, "tile", dtype_attr(c));
  auto shape = checked_new_tile_shape(c, "shape");
  if (!shape || !good) return nullptr;
  if (!check_valid_shape(c, "valid_shape", c.list("shape"))) return nullptr;
  return make<TileType>(Span{}, ExprList{shape->rows_expr, shape->cols_expr}, dtype_attr(c), memory_attr(c));
}

// A new tile or tensor of `shape` and `dtype`.
TypeRef fresh(OpCheck& c, bool is_tile) {
  bool good = check_storage_dtype(c, is_tile ? "tile" : "tensor", dtype_attr(c));
  if (is_tile) {
    auto shape = checked_new_tile_shape(c, "shape");
    if (!shape || !good) return nullptr;
    return value_type(true, {shape->rows_expr, shape->cols_expr}, dtype_attr(c));
  }
  if (!check_tensor_shape(c, "shape") || !good) return nullptr;
  return tensor_type(c.list("shape"), dtype_attr(c));
}

TypeRef full_rule(OpCheck& c, bool is_tile) {
  TypeRef type = fresh(c, is_tile);
  if (!type || !check_element_value(c, "value", dtype_attr(c))) return nullptr;
  return type;
}

TypeRef arange_rule(OpCheck& c, bool is_tile) {
  TypeRef type = fresh(c, is_tile);
  if (!type) return nullptr;
  DType dtype = dtype_attr(c);
  if (!numbers.holds(dtype)) {
    c.error(diag::dtype_not_allowed, {c.op.qualified(), name_of(dtype)}).with_help("use integers or floats");
    return nullptr;
  }
  if (!checked_axis(c, "axis", c.list("shape").size())) return nullptr;
  if (!c.has("start")) {
    if (is_float(dtype)) {
      c.set("start", make<ConstFloat>(c.span, 0.0, dtype));
    } else {
      c.set("start", make<ConstInt>(c.span, int64_t{0}, dtype));
    }
  }
  return check_element_value(c, "start", dtype) ? type : nullptr;
}

TypeRef tri_rule(OpCheck& c, bool is_tile) {
  TypeRef type = fresh(c, is_tile);
  if (!type) return nullptr;
  const size_t rank = c.list("shape").size();
  if (rank < 2) {
    c.error(diag::rank_too_small, "shape", {c.op.qualified(), "2", std::to_string(rank)});
    return nullptr;
  }
  if (!c.has("k")) c.set("k", make<ConstInt>(c.span, int64_t{0}, DType::Int32));
  return normalise_int32(c, "k") ? type : nullptr;
}

// Column - row identifies the diagonal of an element.
ExprRef tri(Expansion& e) {
  auto count = [&](int64_t axis) {
    return e.op(pl::tile::arange, {e.arg("shape")}, {{"axis", AttrValue{axis}}});
  };
  ExprRef diagonal = e.op(pl::tile::sub, {count(-1), count(-2)});
  const CmpOp how = *e.attr("upper")->get<bool>() ? CmpOp::Ge : CmpOp::Le;
  ExprRef inside = e.op(pl::tile::cmp, {diagonal, e.arg("k")}, {{"op", AttrValue{enum_value(how)}}});
  return e.op(pl::tile::cast, {inside}, {{"target_type", *e.attr("dtype")}});
}

void define_fresh(std::vector<Op>& ops, bool tile) {
  const std::string family = tile ? "tile." : "tensor.";
  const std::string noun = tile ? "tile" : "tensor";
  const uint8_t levels = tile ? OnKernel : Anywhere;
  const std::string shape_doc = tile ? "Rows and columns, positive constants." : "The extents.";
  Define(ops, "pl", family + "full", "A new " + noun + " with the same value everywhere.")
      .list("shape", AcceptInt, Extent, shape_doc)
      .attr("dtype", AttrKind::DType, "The element type.")
      .operand("value", AcceptScalar, Data, "The value of every element. A literal takes `dtype`.")
      .like(1)
      .form(OpForm::Fill)
      .result("A " + noun + " of shape `shape` and dtype `dtype`.")
      .levels(levels)
      .rule([tile](OpCheck& c) { return full_rule(c, tile); });
  Define(ops, "pl", family + "arange",
         "A new " + noun + " that counts up from `start` along one axis and repeats along the others.")
      .list("shape", AcceptInt, Extent, shape_doc)
      .attr("axis", AttrKind::Int, "The axis it counts along; negative ones count from the end.")
      .by_default({int64_t{-1}})
      .operand("start", AcceptScalar, Data, "The first value, 0 if left out. A literal takes `dtype`.")
      .optional()
      .like(3)
      .attr("dtype", AttrKind::DType, "The element type.")
      .by_default({DType::Int32})
      .alias(family + "ci")
      .form(OpForm::Count)
      .result("A " + noun + " of shape `shape` and dtype `dtype`.")
      .levels(levels)
      .rule([tile](OpCheck& c) { return arange_rule(c, tile); });
  Define(ops, "pl", family + "tri",
         "A new " + noun +
             " with ones on and below one of its diagonals and zeros above, as NumPy's tri; with "
             "`upper` on and above.")
      .list("shape", AcceptInt, Extent, shape_doc)
      .operand("k", AcceptInt, Control,
               "The diagonal: 0, the main one, if left out; positive ones lie above it, negative ones below.")
      .literal(DType::Int32)
      .optional()
      .attr("upper", AttrKind::Bool, "Whether the ones lie on and above the diagonal.")
      .by_default({false})
      .attr("dtype", AttrKind::DType, "The element type.")
      .by_default({DType::FP32})
      .result("A " + noun + " of shape `shape` and dtype `dtype`.")
      .rule([tile](OpCheck& c) { return tri_rule(c, tile); })
      .expands(tri);
}

void define_create(std::vector<Op>& ops) {
  Define(ops, "pl", "tensor.create", "A new tensor. Its elements are undefined until they are written.")
      .list("shape", AcceptInt, Extent, "The extents.")
      .attr("dtype", AttrKind::DType, "The element type.")
      .alias("create_tensor")
      .form(OpForm::Create)
      .result("A tensor of shape `shape` and dtype `dtype`.")
      .levels(Anywhere)
      .rule([](OpCheck& c) { return fresh(c, false); });
  Define(ops, "pl", "tensor.release",
         "Gives back the storage of a tensor that this kernel has created, which otherwise lives until the "
         "kernel ends. Its elements are undefined afterwards. Nothing happens to other tensors.")
      .operand("t", AcceptTensor, Data, "The tensor.")
      .effect(Access::Write, "t")
      .rebinds("t")
      .result("`t`.")
      .rule([](OpCheck& c) { return c.arg("t")->type; });
  Define(ops, "pl", "tile.create", "A new tile. Its elements are undefined until they are written.")
      .list("shape", AcceptInt, Extent, "Rows and columns, positive constants.")
      .attr("dtype", AttrKind::DType, "The element type.")
      .choice<MemorySpace>("target_memory", "The memory it lives in; chosen by the compiler if left out.")
      .optional()
      .list("valid_shape", AcceptInt, Extent,
            "The part in use, from the first element; all of it if left out.")
      .optional()
      .alias("create_tile")
      .form(OpForm::Create)
      .result("A tile of shape `shape` and dtype `dtype`.")
      .rule(create_tile);
  define_fresh(ops, true);
  define_fresh(ops, false);
}

// --- between tensors and tiles

// Fills in offsets and shape of `pl.load(x)`: all of the tensor.
bool complete_load(OpCheck& c, const TensorType& t) {
  if (c.has("offsets") != c.has("shape")) {
    c.error(diag::all_or_none, {c.op.qualified(), "`offsets` and `shape`"})
        .with_help("write pl.load(x) to load a whole tensor, pl.load(x, offsets, shape) to load a part");
    return false;
  }
  if (c.has("offsets")) return true;
  c.set("offsets", zeros(t.shape.size(), c.span));
  c.set("shape", make<MakeTuple>(c.span, t.shape));
  return true;
}

TypeRef load_rule(OpCheck& c) {
  const TensorType& t = *c.tensor("t");
  if (!complete_load(c, t)) return nullptr;
  bool lengths = check_length(c, "offsets", t.shape.size());
  lengths = check_length(c, "shape", t.shape.size()) && lengths;
  if (!lengths) return nullptr;
  auto shape = checked_tile_shape(c, "shape");
  if (!shape || !check_valid_shape(c, "valid_shape", c.list("shape"))) return nullptr;
  // A ragged tail may reach past the tensor with its physical shape, not with its valid one.
  const ExprList& extents = c.has("valid_shape") ? c.list("valid_shape") : c.list("shape");
  if (!check_region(c, "offsets", extents, t.shape)) return nullptr;
  if (!check_storage_dtype(c, "tile", t.dtype)) return nullptr;
  return make<TileType>(Span{}, ExprList{shape->rows_expr, shape->cols_expr}, t.dtype, memory_attr(c));
}

TypeRef store_rule(OpCheck& c) {
  const TensorType& t = *c.tensor("t");
  if (c.tile("tile")->dtype != t.dtype) check_same_dtype(c, "t", "tile");
  bool good = check_atomic(c, "tile");
  if (!check_length(c, "offsets", t.shape.size()) || !good) return nullptr;
  if (!region_of_tile(c, "tile", t.shape.size())) return nullptr;
  // The valid extent is what is written, and it may be smaller than the tile: only the start is certain.
  check_starts(c, "offsets", t.shape);
  return c.failed() ? nullptr : c.arg("t")->type;
}

TypeRef move_rule(OpCheck& c) {
  const TileType& tile = *c.tile("tile");
  return make<TileType>(Span{}, tile.shape, tile.dtype, memory_attr(c));
}

void define_move(std::vector<Op>& ops) {
  Define(ops, "pl", "tile.load",
         "Loads a region of a tensor. `pl.load(x)` loads all of it. All but the last two extents are 1 and "
         "dropped, and "
         "a tensor of rank 1 loads as one row.")
      .operand("t", AcceptTensor, Data, "The tensor.")
      .list("offsets", AcceptInt, Address, "Where the region starts, one entry per dimension.")
      .optional()
      .list("shape", AcceptInt, Extent, "The extents of the region, one constant per dimension.")
      .optional()
      .list("valid_shape", AcceptInt, Extent,
            "The extents that are loaded where the region is a ragged tail, one entry per dimension, at most "
            "`shape`.")
      .optional()
      .choice<MemorySpace>("target_memory",
                           "The memory the tile lives in; chosen by the compiler if left out.")
      .optional()
      .effect(Access::Read, "t")
      .region("offsets", "shape")
      .form(OpForm::Load)
      .result("A tile of the last two extents of `shape` and the dtype of `t`.")
      .rule(load_rule);
  Define(ops, "pl", "tile.store",
         "Writes the valid extent of a tile into a tensor. With `atomic=pld.AtomicType.Add` the elements are "
         "added to "
         "those of the tensor, each addition atomic.")
      .operand("tile", AcceptTile, Data, "The tile.")
      .list("offsets", AcceptInt, Address, "Where it goes, one entry per dimension of `t`.")
      .operand("t", AcceptTensor, Data, "The tensor, of the same dtype.")
      .choice<AtomicType>("atomic", "Whether to overwrite or to add.")
      .by_default(AtomicType::None_)
      .form(OpForm::Store)
      .store_effects("t", "offsets", "tile")
      .rebinds("t")
      .result("`t`, written in place.")
      .rule(store_rule);
  Define(ops, "pl", "tile.move", "The same tile in another memory.")
      .operand("tile", AcceptTile, Data, "The tile.")
      .choice<MemorySpace>("target_memory", "The memory it is moved to.")
      .form(OpForm::Same)
      .result("A tile of the same shape and dtype in `target_memory`.")
      .rule(move_rule);
}

// --- single elements

TypeRef read_rule(OpCheck& c) {
  auto t = shaped(c.args[0]);
  if (!check_element(c, "idx", *t->shape)) return nullptr;
  return scalar_type(t->dtype);
}

TypeRef write_rule(OpCheck& c) {
  auto t = shaped(c.args[0]);
  bool good = check_element_value(c, "v", t->dtype);
  if (!check_element(c, "idx", *t->shape) || !good) return nullptr;
  return c.args[0]->type;
}

TypeRef dim_rule(OpCheck& c) {
  auto t = shaped(c.args[0]);
  if (!checked_axis(c, "i", t->shape->size())) return nullptr;
  return scalar_type(DType::Index);
}

void define_elements(std::vector<Op>& ops, bool tile) {
  const std::string family = tile ? "tile." : "tensor.";
  const std::string noun = tile ? "tile" : "tensor";
  const uint16_t accepts = tile ? AcceptTile : AcceptTensor;
  const uint8_t levels = tile ? OnKernel : OnOrchestration | OnKernel;
  Define read(ops, "pl", family + "read",
              "Reads one element of a " + noun + "." +
                  (tile ? "" : " Of a signal it is an atomic read that acquires nothing."));
  read.operand("t", accepts, Data, "The " + noun + ".")
      .list("idx", AcceptInt, Address, "The position, one entry per dimension.")
      .result("A scalar of the dtype of `t`.")
      .levels(levels)
      .rule(read_rule);
  Define write(ops, "pl", family + "write", "Writes one element of a " + noun + ".");
  write.operand("t", accepts, Data, "The " + noun + ".")
      .list("idx", AcceptInt, Address, "The position, one entry per dimension.")
      .operand("v", AcceptScalar, Data, "The new value, of the dtype of `t`. A literal takes that dtype.")
      .like(0)
      .result(tile ? "The tile with that element replaced." : "`t`, written in place.")
      .levels(levels)
      .rule(write_rule);
  if (!tile) {
    read.effect(Access::Read, "t").region("idx");
    write.effect(Access::Write, "t").region("idx").rebinds("t");
  }
  Define(ops, "pl", family + "dim", "The extent of one dimension of a " + noun + ".")
      .operand("t", accepts, Data, "The " + noun + ".")
      .attr("i", AttrKind::Int, "The dimension; negative ones count from the end.")
      .result("An INDEX scalar.")
      .levels(tile ? OnKernel : Anywhere)
      .rule(dim_rule);
}

}  // namespace

void define_create_move(std::vector<Op>& ops) {
  define_create(ops);
  define_move(ops);
  define_elements(ops, true);
  define_elements(ops, false);
}

}  // namespace tilewire::ops
