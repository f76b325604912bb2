// Parts and other shapes of tiles and tensors. On tensors slice, reshape and transpose are views of the same
// storage, as in NumPy; on tiles every op gives a new value.
#include <algorithm>

#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

bool is_one(const ExprRef& extent) {
  return constant_value(extent) == 1;
}

bool is_dense(const TensorType& t) {
  return !t.view || (t.view->stride.empty() && t.view->layout == Layout::ND);
}

// --- parts

// A part of a dense tensor is dense when all dimensions after its first one that is not 1 are whole.
bool part_is_dense(const TensorType& t, const ExprList& extents) {
  if (!is_dense(t)) return false;
  size_t first = 0;
  while (first < extents.size() && is_one(extents[first])) ++first;
  for (size_t i = first + 1; i < extents.size(); ++i) {
    if (compare(extents[i], t.shape[i]) != Known::Equal) return false;
  }
  return true;
}

// The dimensions to leave out, checked; none after an error.
std::optional<std::vector<bool>> dropped(OpCheck& c, const ExprList& extents) {
  std::vector<bool> drop(extents.size());
  for (const ExprRef& entry : c.list("drop_dims")) {
    auto dim = constant_value(entry);
    if (!dim || *dim < 0 || static_cast<size_t>(*dim) >= extents.size()) {
      c.error(diag::axis_out_of_range, "drop_dims",
              {c.op.qualified(), dim ? std::to_string(*dim) : "?", std::to_string(extents.size())});
      return std::nullopt;
    }
    if (drop[*dim]) {
      c.error(diag::drop_twice, "drop_dims", {std::to_string(*dim)});
      return std::nullopt;
    }
    auto extent = constant_value(extents[*dim]);
    if (extent != 1) {
      c.error(diag::drop_not_one, "drop_dims",
              {std::to_string(*dim), extent ? std::to_string(*extent) : "?"});
      return std::nullopt;
    }
    drop[*dim] = true;
  }
  return drop;
}

TypeRef slice_tensor(OpCheck& c) {
  const TensorType& t = *c.tensor("t");
  bool lengths = check_length(c, "shape", t.shape.size());
  lengths = check_length(c, "offsets", t.shape.size()) && lengths;
  if (!lengths || !check_tensor_shape(c, "shape")) return nullptr;
  const ExprList& extents = c.list("shape");
  if (!check_region(c, "offsets", extents, t.shape)) return nullptr;
  auto drop = dropped(c, extents);
  if (!drop) return nullptr;
  bool dense = part_is_dense(t, extents);
  ExprList strides = dense ? ExprList() : strides_of(t);
  ExprList shape, stride;
  for (size_t i = 0; i < extents.size(); ++i) {
    if ((*drop)[i]) continue;
    shape.push_back(extents[i]);
    if (!dense) stride.push_back(strides[i]);
  }
  if (dense) return view_type(t, std::move(shape), nullptr);
  Layout layout = t.view ? t.view->layout : Layout::ND;
  if (layout == Layout::NZ) stride.clear();  // blocks, not strides
  return view_type(t, std::move(shape), make<TensorView>(Span{}, std::move(stride), layout));
}

TypeRef extract_rule(OpCheck& c) {
  const TileType& t = *c.tile("t");
  auto shape = checked_new_tile_shape(c, "shape");
  if (!check_length(c, "offsets", 2) || !shape) return nullptr;
  if (!check_region(c, "offsets", c.list("shape"), t.shape)) return nullptr;
  std::optional<MemorySpace> memory = t.memory;
  if (const AttrValue* asked = c.attr("target_memory")) {
    memory = static_cast<MemorySpace>(asked->get<EnumValue>()->value);
  }
  return make<TileType>(Span{}, ExprList{shape->rows_expr, shape->cols_expr}, t.dtype, memory);
}

TypeRef assemble_tile(OpCheck& c) {
  if (c.tile("t")->dtype != c.tile("part")->dtype) check_same_dtype(c, "t", "part");
  if (!check_length(c, "offsets", 2)) return nullptr;
  check_region(c, "offsets", c.tile("part")->shape, c.tile("t")->shape);
  return c.failed() ? nullptr : c.arg("t")->type;
}

TypeRef assemble_tensor(OpCheck& c) {
  const TensorType& t = *c.tensor("t");
  if (t.dtype != *c.dtype("part")) check_same_dtype(c, "t", "part");
  if (!check_length(c, "offsets", t.shape.size())) return nullptr;
  if (const TensorType* part = c.tensor("part")) {
    if (part->shape.size() != t.shape.size()) {
      c.error(diag::tensor_part_rank, "part",
              {c.op.qualified(), std::to_string(part->shape.size()), std::to_string(t.shape.size())})
          .with_help("reshape the part to the rank of the tensor");
      return nullptr;
    }
    check_region(c, "offsets", part->shape, t.shape);
  } else {
    if (!region_of_tile(c, "part", t.shape.size())) return nullptr;
    check_starts(c, "offsets", t.shape);
  }
  return c.failed() ? nullptr : c.arg("t")->type;
}

void define_parts(std::vector<Op>& ops) {
  Define(ops, "pl", "tensor.slice",
         "A part of a tensor: a view of the same storage. A part of a window is a window, and addresses the "
         "same part "
         "of a peer's copy.")
      .operand("t", AcceptTensor, Data, "The tensor.")
      .list("shape", AcceptInt, Extent, "The extents of the part, one per dimension.")
      .list("offsets", AcceptInt, Address, "Where it starts, one entry per dimension.")
      .list("drop_dims", AcceptInt, Control,
            "Dimensions of extent 1 that the result leaves out, as `x[i]` does; constants.")
      .optional()
      .keyword_only()
      .rebinds("t")
      .result("A view of that part.")
      .levels(Anywhere)
      .rule(slice_tensor);
  Define(ops, "pl", "tile.extract", "A part of a tile. `t[a:b, c:d]` on a tile is this op.")
      .operand("t", AcceptTile, Data, "The tile.")
      .list("shape", AcceptInt, Extent, "Rows and columns of the part, positive constants.")
      .list("offsets", AcceptInt, Address, "The first row and column of the part.")
      .choice<MemorySpace>("target_memory", "The memory the part lives in; that of `t` if left out.")
      .optional()
      .alias("tile.slice")
      .result("A tile of shape `shape` and the same dtype.")
      .rule(extract_rule);
  Define(ops, "pl", "tile.assemble",
         "A tile with a part replaced. `t[a:b, c:d] = part` on a tile is this op.")
      .operand("t", AcceptTile, Data, "The tile.")
      .operand("part", AcceptTile, Data, "The new part, of the same dtype.")
      .list("offsets", AcceptInt, Address, "The row and column where the part goes.")
      .form(OpForm::Assemble)
      .result("A tile of the shape and dtype of `t`.")
      .rule(assemble_tile);
  Define(ops, "pl", "tensor.assemble",
         "Writes a part of a tensor. `t[a:b, c:d] = part` on a tensor is this op.")
      .operand("t", AcceptTensor, Data, "The tensor.")
      .operand("part", AcceptTensor | AcceptTile, Data,
               "The new part, of the same dtype; a tensor has the rank of `t`.")
      .list("offsets", AcceptInt, Address, "Where the part goes, one entry per dimension of `t`.")
      .form(OpForm::Assemble)
      .effect(Access::Read, "part")
      .effect(Access::Write, "t")
      .region("offsets", "part")
      .rebinds("t")
      .result("`t`, written in place.")
      .rule(assemble_tensor);
}

// --- other shapes

// Replaces one -1 by the extent that fits, as NumPy does. False after an error.
bool infer_extent(OpCheck& c, std::optional<int64_t> count) {
  ExprList extents = c.list("shape");
  auto minus_one = [](const ExprRef& e) { return constant_value(e) == -1; };
  auto found = std::find_if(extents.begin(), extents.end(), minus_one);
  if (found == extents.end()) return true;
  *found = const_index(1);
  auto rest = element_count(extents);
  if (!count || !rest || *rest <= 0 || *count % *rest != 0) {
    c.error(diag::reshape_count, "shape",
            {c.op.qualified(), "a multiple of " + (rest ? std::to_string(*rest) : "?"),
             count ? std::to_string(*count) : "?"});
    return false;
  }
  *found = const_index(*count / *rest);
  c.set("shape", make<MakeTuple>(c.arg("shape")->span, std::move(extents)));
  return true;
}

TypeRef reshape_rule(OpCheck& c) {
  auto x = shaped(c.args[0]);
  const TensorType* tensor = c.tensor("x");
  if (tensor && !is_dense(*tensor)) {
    c.error(diag::reshape_strided, "x", {c.op.qualified()})
        .with_help("copy it first: pl.tensor.assemble into a new tensor");
    return nullptr;
  }
  auto count = element_count(*x->shape);
  if (!infer_extent(c, count)) return nullptr;
  if (x->is_tile ? !checked_new_tile_shape(c, "shape") : !check_tensor_shape(c, "shape")) return nullptr;
  auto wanted = element_count(c.list("shape"));
  if (count && wanted && *count != *wanted) {
    c.error(diag::reshape_count, "shape", {c.op.qualified(), std::to_string(*wanted), std::to_string(*count)})
        .with_label(shape_text(*x->shape) + " to " + shape_text(c.list("shape")));
    return nullptr;
  }
  if (tensor) return view_type(*tensor, c.list("shape"), nullptr);
  return make<TileType>(Span{}, c.list("shape"), x->dtype, c.tile("x")->memory);
}

TypeRef transpose_rule(OpCheck& c) {
  auto x = shaped(c.args[0]);
  auto a = checked_axis(c, "axis1", x->shape->size());
  auto b = checked_axis(c, "axis2", x->shape->size());
  if (!a || !b) return nullptr;
  ExprList shape = *x->shape;
  std::swap(shape[*a], shape[*b]);
  const TensorType* tensor = c.tensor("x");
  if (!tensor) return value_type(true, std::move(shape), x->dtype);
  if (tensor->view && tensor->view->layout == Layout::NZ) {
    c.error(diag::reshape_strided, "x", {c.op.qualified()});
    return nullptr;
  }
  ExprList strides = strides_of(*tensor);
  std::swap(strides[*a], strides[*b]);
  return view_type(*tensor, std::move(shape), make<TensorView>(Span{}, std::move(strides), Layout::ND));
}

TypeRef concat_rule(OpCheck& c) {
  const ExprList& parts = c.list("parts");
  if (parts.empty()) {
    c.error(diag::concat_empty, "parts", {c.op.qualified()});
    return nullptr;
  }
  auto first = *shaped(parts[0]);
  auto axis = checked_axis(c, "axis", first.shape->size());
  if (!axis) return nullptr;
  ExprList shape = *first.shape;
  for (size_t p = 1; p < parts.size(); ++p) {
    auto part = *shaped(parts[p]);
    if (part.dtype != first.dtype) {
      c.error(diag::dtype_mismatch, "parts", {c.op.qualified(), name_of(first.dtype), name_of(part.dtype)})
          .with_help("convert one of them: pl.cast(x, " + name_of(first.dtype) + ")");
      return nullptr;
    }
    ExprList expected = *first.shape;
    if (expected.size() == part.shape->size()) expected[*axis] = (*part.shape)[*axis];
    if (!may_equal(expected, *part.shape)) {
      c.error(diag::shape_mismatch, "parts",
              {c.op.qualified(), shape_text(*first.shape), shape_text(*part.shape)})
          .with_help("the parts may differ in dimension " + std::to_string(*axis) + " only");
      return nullptr;
    }
    shape[*axis] = sum(shape[*axis], (*part.shape)[*axis]);
  }
  if (first.is_tile && !constant_value(shape[*axis])) {
    c.error(diag::extent_not_positive, "parts", {"tile", "?"});  // the sum does not fit 64 bits
    return nullptr;
  }
  return value_type(first.is_tile, std::move(shape), first.dtype);
}

void define_shapes(std::vector<Op>& ops, bool tile) {
  const std::string family = tile ? "tile." : "tensor.";
  const std::string noun = tile ? "tile" : "tensor";
  const uint16_t accepts = tile ? AcceptTile : AcceptTensor;
  const uint8_t levels = tile ? OnKernel : Anywhere;
  Define reshape(ops, "pl", family + "reshape", "The same elements in row-major order under another shape.");
  reshape.operand("x", accepts, Data, tile ? "The tile." : "The tensor; it must be dense.")
      .list("shape", AcceptInt, Extent,
            "The new extents; their product stays the same. One may be -1 and is computed.")
      .result(tile ? "A tile of shape `shape`." : "A view of the same storage.")
      .levels(levels)
      .rule(reshape_rule);
  Define transpose(ops, "pl", family + "transpose", "Swaps two dimensions of a " + noun + ".");
  transpose.operand("x", accepts, Data, "The " + noun + ".")
      .attr("axis1", AttrKind::Int, "One dimension; negative ones count from the end.")
      .by_default({int64_t{-2}})
      .attr("axis2", AttrKind::Int, "The other dimension.")
      .by_default({int64_t{-1}})
      .result(tile ? "A tile of the swapped shape." : "A view of the same storage.")
      .levels(levels)
      .rule(transpose_rule);
  Define concat(ops, "pl", family + "concat", "Joins " + noun + "s along one axis.");
  concat.list("parts", accepts, Data, "The parts in order; equal in dtype and in all other dimensions.")
      .attr("axis", AttrKind::Int, "The axis they are joined along; negative ones count from the end.")
      .by_default({int64_t{0}})
      .form(OpForm::Concat)
      .result("A new " + noun + ".")
      .rule(concat_rule);
  if (tile) return;
  reshape.rebinds("x");
  transpose.rebinds("x");
  concat.effect(Access::Read, "parts");
}

// --- valid extents

TypeRef set_validshape_rule(OpCheck& c) {
  if (!check_valid_shape(c, "valid_shape", c.tile("tile")->shape)) return nullptr;
  return c.arg("tile")->type;
}

TypeRef fillpad_rule(OpCheck& c) {
  const TileType& tile = *c.tile("tile");
  if (!check_dtype(c, "tile", tile.dtype, numbers)) return nullptr;
  return computed_type(c.arg("tile")->type);
}

void define_valid(std::vector<Op>& ops) {
  Define(ops, "pl", "tile.set_validshape",
         "The same tile with another valid extent: the part that stores write and reductions use.")
      .operand("tile", AcceptTile, Data, "The tile.")
      .list("valid_shape", AcceptInt, Extent, "Valid rows and columns, at most those of the tile.")
      .result("A tile of the same shape and dtype.")
      .rule(set_validshape_rule);
  Define(ops, "pl", "tile.fillpad",
         "Fills what lies outside the valid extent; the result is valid everywhere.")
      .operand("tile", AcceptTile, Data, "The tile.")
      .choice<PadValue>("pad", "The value: zero, or the largest or smallest value of the dtype.")
      .by_default(PadValue::Zero)
      .result("A tile of the same shape and dtype.")
      .rule(fillpad_rule);
}

}  // namespace

void define_reshape(std::vector<Op>& ops) {
  define_parts(ops);
  define_shapes(ops, true);
  define_shapes(ops, false);
  define_valid(ops);
}

}  // namespace tilewire::ops
