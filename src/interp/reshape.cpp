// Parts and other shapes. On tensors slice, reshape and transpose are views of the same storage; on tiles
// every op gives a new value.
//
// Valid extents of tiles: a part has what is left of the extent where it lies; assemble keeps the extent of
// the tile and writes the valid extent of the part; transpose swaps it; reshape needs one that is a beginning
// of the elements in row-major order, before and after; of the parts of concat only the last non-empty one
// may be ragged along the axis, and across it the common extent is valid.
#include <algorithm>
#include <cstring>

#include "interp/move.h"
#include "interp/op_table.h"
#include "numeric/numeric.h"
#include "ops/handles.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

void check_part(const Dims& offsets, const Dims& extents, const Dims& shape) {
  Tensor whole;
  whole.shape = shape;
  whole.strides = Dims(shape.size(), 0);
  narrow(whole, offsets, extents);
}

Value copy_tile(Context& c, const Tile& model, const View& from, int64_t valid_rows, int64_t valid_cols) {
  Fresh fresh(c, c.call.type, {valid_rows, valid_cols});
  TW_CHECK(fresh.dtype() == model.dtype, "a part of another dtype");
  fresh.fill_dense(dense(from));
  return std::move(fresh).value();
}

// --- parts

void slice_tensor(Context& c, int) {
  Tensor part = narrow(c.tensor(0), c.integers(2), c.integers(1));
  if (c.has(3)) {
    Dims dropped = c.integers(3);
    std::sort(dropped.rbegin(), dropped.rend());
    for (int64_t dim : dropped) {
      part.shape.erase(part.shape.begin() + dim);
      part.strides.erase(part.strides.begin() + dim);
    }
  }
  c.result = std::move(part);
}

void extract(Context& c, int) {
  const Tile& t = c.tile(0);
  Dims shape = c.integers(1), offsets = c.integers(2);
  check_part(offsets, shape, {t.rows, t.cols});
  int64_t rows = std::clamp<int64_t>(t.valid_rows - offsets[0], 0, shape[0]);
  int64_t cols = std::clamp<int64_t>(t.valid_cols - offsets[1], 0, shape[1]);
  View from = c.view(t, rows, cols);
  from.base += (offsets[0] * t.cols + offsets[1]) * ir::bytes(t.dtype);
  c.result = copy_tile(c, t, from, rows, cols);
}

void assemble_tile(Context& c, int) {
  Tile tile = c.tile(0);
  const Tile& part = c.tile(1);
  Dims offsets = c.integers(2);
  check_part(offsets, {part.rows, part.cols}, {tile.rows, tile.cols});
  auto buffer = c.world.allocate(tile.data->size());
  std::memcpy(buffer->data(), tile.data->data(), static_cast<size_t>(tile.data->size()));
  std::byte* at = buffer->data() + (offsets[0] * tile.cols + offsets[1]) * ir::bytes(tile.dtype);
  put_dense(dense(c.view(part)), tile.dtype, at, {part.valid_rows, part.valid_cols}, {tile.cols, 1});
  tile.data = std::move(buffer);
  c.result = std::move(tile);
}

void assemble_tensor(Context& c, int) {
  for (const Region& region : c.regions()) {
    if (region.effect->access == Access::Write) store_region(c, c.view(size_t{1}), region.part, false);
  }
  c.result = c.value(0);
}

// --- other shapes

void reshape_tensor(Context& c, int) {
  Tensor t = c.tensor(0);
  Dims shape = c.integers(1);
  bool dense = true;
  int64_t stride = 1;
  for (size_t i = t.shape.size(); i-- > 0;) {
    dense &= t.shape[i] == 1 || t.strides[i] == stride;
    stride *= t.shape[i];
  }
  const int64_t count = element_count(t.shape);
  if (checked_count(shape, t.dtype) != count || (!dense && count != 0)) {
    fail(diag::run_reshape, {c.call.op->qualified(), (dense ? "" : "strided ") + text(t.shape), text(shape)});
  }
  t.strides = dense_strides(shape);
  t.shape = std::move(shape);
  c.result = std::move(t);
}

// The valid extent as a number of elements from the start; none when it is not that.
std::optional<int64_t> prefix(const Tile& t) {
  if (t.valid_rows == 0 || t.valid_cols == 0) return 0;
  if (t.valid_cols == t.cols || t.valid_rows == 1) {
    return t.valid_cols == t.cols ? t.valid_rows * t.cols : t.valid_cols;
  }
  return std::nullopt;
}

void reshape_tile(Context& c, int) {
  const Tile& t = c.tile(0);
  const auto& type = static_cast<const TileType&>(*c.call.type);
  auto valid = prefix(t);
  const int64_t cols = type.cols();
  if (!valid || (*valid % cols != 0 && *valid > cols)) {
    fail(diag::run_ragged,
         {c.call.op->qualified(), "a valid extent that fills whole rows, got " +
                                      text({t.valid_rows, t.valid_cols}) + " of " + text({t.rows, t.cols})});
  }
  Tile out = t;
  out.rows = type.rows();
  out.cols = cols;
  out.valid_rows = *valid < cols ? (*valid > 0) : *valid / cols;
  out.valid_cols = *valid < cols ? *valid : cols;
  c.result = std::move(out);
}

void transpose_tensor(Context& c, int) {
  Tensor t = c.tensor(0);
  size_t a = c.axis("axis1", t.shape.size()), b = c.axis("axis2", t.shape.size());
  std::swap(t.shape[a], t.shape[b]);
  std::swap(t.strides[a], t.strides[b]);
  c.result = std::move(t);
}

void transpose_tile(Context& c, int) {
  const Tile& t = c.tile(0);
  if (c.axis("axis1", 2) == c.axis("axis2", 2)) {
    c.result = c.value(0);
    return;
  }
  View from = c.view(t);
  std::swap(from.shape[0], from.shape[1]);
  std::swap(from.strides[0], from.strides[1]);
  c.result = copy_tile(c, t, from, t.valid_cols, t.valid_rows);
}

void concat_tensors(Context& c, int) {
  std::vector<View> parts;
  for (size_t i = 0; i < c.list_size(0); ++i) parts.push_back(c.view(*c.element(0, i).tensor()));
  Dims shape = parts[0].shape;
  const size_t axis = c.axis("axis", shape.size());
  shape[axis] = 0;
  for (const View& part : parts) {
    Dims expected = parts[0].shape;
    expected[axis] = part.shape[axis];
    check_equal_extents(c, expected, part.shape);
    shape[axis] += part.shape[axis];
  }
  Fresh fresh(c, c.call.type, shape);
  int64_t at = 0;
  for (const View& part : parts) {
    put_dense(dense(part), part.dtype, fresh.data() + at * fresh.strides()[axis] * ir::bytes(part.dtype),
              part.shape, fresh.strides());
    at += part.shape[axis];
  }
  c.result = std::move(fresh).value();
}

void concat_tiles(Context& c, int) {
  const size_t axis = c.axis("axis", 2), other = 1 - axis;
  Dims valid{INT64_MAX, INT64_MAX};
  int64_t at = 0;
  valid[axis] = 0;
  bool ragged = false;
  for (size_t i = 0; i < c.list_size(0); ++i) {
    const Tile& part = *c.element(0, i).tile();
    Dims shape{part.rows, part.cols}, extents{part.valid_rows, part.valid_cols};
    if (extents[axis] > 0) {
      if (ragged)
        fail(diag::run_ragged, {c.call.op->qualified(), "all parts but the last to be valid to their end"});
      valid[axis] = at + extents[axis];
    }
    ragged |= extents[axis] < shape[axis];
    valid[other] = std::min(valid[other], extents[other]);
    at += shape[axis];
  }
  Fresh fresh(c, c.call.type, valid);
  at = 0;
  for (size_t i = 0; i < c.list_size(0); ++i) {
    const Tile& part = *c.element(0, i).tile();
    View from = c.view(part);
    from.shape[other] = valid[other];
    put_dense(dense(from), part.dtype, fresh.data() + at * fresh.strides()[axis] * ir::bytes(part.dtype),
              from.shape, fresh.strides());
    at += axis == 0 ? part.rows : part.cols;
  }
  c.result = std::move(fresh).value();
}

// --- valid extents

void set_validshape(Context& c, int) {
  Tile t = c.tile(0);
  Dims valid = c.integers(1), shape{t.rows, t.cols};
  for (size_t i = 0; i < 2; ++i) {
    if (valid[i] >= 0 && valid[i] <= shape[i]) continue;
    fail(diag::run_valid_shape, {std::to_string(valid[i]), std::to_string(i), std::to_string(shape[i])});
  }
  t.valid_rows = valid[0];
  t.valid_cols = valid[1];
  c.result = std::move(t);
}

// Of floats the largest and smallest finite values.
Scalar pad_value(DType dtype, PadValue pad) {
  const bool largest = pad == PadValue::Max;
  if (is_float(dtype)) {
    double value = numeric::round_float(dtype, 1e300, RoundMode::Trunc);
    return Scalar::of_float(dtype, pad == PadValue::Zero ? 0.0 : largest ? value : -value);
  }
  const double far = largest ? 1e300 : -1e300;
  return Scalar::of_int(dtype, pad == PadValue::Zero ? 0 : numeric::to_integer(dtype, far));
}

void fillpad(Context& c, int) {
  const Tile& t = c.tile(0);
  Scalar pad = pad_value(t.dtype, c.enum_attr<PadValue>("pad"));
  Fresh fresh(c, c.call.type, {t.rows, t.cols});
  const auto count = static_cast<size_t>(t.rows * t.cols);
  pad.is_float() ? fresh.fill(Lanes<float>(count, static_cast<float>(pad.f)))
                 : fresh.fill(Lanes<int64_t>(count, pad.i));
  put_dense(dense(c.view(t)), t.dtype, fresh.data(), {t.valid_rows, t.valid_cols}, fresh.strides());
  c.result = std::move(fresh).value();
}

}  // namespace

void add_reshape(OpEntries& entries) {
  entries.add(ops::pl::tensor::slice, slice_tensor);
  entries.add(ops::pl::tile::extract, extract);
  entries.add(ops::pl::tile::assemble, assemble_tile);
  entries.add(ops::pl::tensor::assemble, assemble_tensor);
  entries.add(ops::pl::tensor::reshape, reshape_tensor);
  entries.add(ops::pl::tile::reshape, reshape_tile);
  entries.add(ops::pl::tensor::transpose, transpose_tensor);
  entries.add(ops::pl::tile::transpose, transpose_tile);
  entries.add(ops::pl::tensor::concat, concat_tensors);
  entries.add(ops::pl::tile::concat, concat_tiles);
  entries.add(ops::pl::tile::set_validshape, set_validshape);
  entries.add(ops::pl::tile::fillpad, fillpad);
}

}  // namespace tilewire::interp
