// Making tiles and tensors, moving data between them, single elements.
#include "interp/move.h"

#include <cstring>

#include "interp/elementwise.h"
#include "interp/op_table.h"
#include "numeric/numeric.h"
#include "ops/handles.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

// --- new tiles and tensors

Dims tile_shape(const TypeRef& type) {
  const auto& tile = static_cast<const TileType&>(*type);
  return {tile.rows(), tile.cols()};
}

void check_valid(const Dims& valid, const Dims& shape) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (valid[i] >= 0 && valid[i] <= shape[i]) continue;
    fail(diag::run_valid_shape, {std::to_string(valid[i]), std::to_string(i), std::to_string(shape[i])});
  }
}

void create_tile(Context& c, int) {
  Dims shape = tile_shape(c.call.type), valid = c.has(1) ? c.integers(1) : shape;
  check_valid(valid, shape);
  c.result = Fresh(c, c.call.type, valid).value();
}

void create_tensor(Context& c, int) {
  c.result = c.new_tensor(static_cast<const TensorType&>(*c.call.type).dtype, c.integers(0));
}

void release(Context& c, int) {
  const Tensor tensor = c.tensor(0);
  c.forget_elements(tensor);
  c.result = tensor;
}

// Of a tile, all of it.
Dims new_shape(const Context& c) {
  return isa<TileType>(c.call.type) ? tile_shape(c.call.type) : c.integers(0);
}

void full(Context& c, int) {
  Fresh fresh(c, c.call.type, new_shape(c));
  const Scalar& value = c.scalar(1);
  const auto count = static_cast<size_t>(element_count(fresh.extents()));
  value.is_float() ? fresh.fill(Lanes<float>(count, static_cast<float>(value.f)))
                   : fresh.fill(Lanes<int64_t>(count, value.i));
  c.result = std::move(fresh).value();
}

void arange(Context& c, int) {
  Fresh fresh(c, c.call.type, new_shape(c));
  const Dims& shape = fresh.extents();
  const size_t axis = c.axis("axis", shape.size());
  int64_t inner = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  const Scalar& start = c.scalar(1);
  const auto count = static_cast<size_t>(element_count(shape));
  auto position = [&](size_t i) { return static_cast<int64_t>(i) / inner % shape[axis]; };
  if (start.is_float()) {
    Lanes<float> out(count);
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(start.f) + static_cast<float>(position(i));
    fresh.fill(out);
  } else {
    Lanes<int64_t> out(count);
    for (size_t i = 0; i < count; ++i) out[i] = combine(Elementwise::Add, start.dtype, start.i, position(i));
    fresh.fill(out);
  }
  c.result = std::move(fresh).value();
}

// --- between tensors and tiles

// The last two extents of a region; everything is empty when a dropped one is.
Dims matrix_extents(const Dims& shape) {
  if (shape.size() == 1) return {1, shape[0]};
  const size_t rank = shape.size();
  for (size_t i = 0; i + 2 < rank; ++i) {
    if (shape[i] == 0) return {0, 0};
  }
  return {shape[rank - 2], shape[rank - 1]};
}

}  // namespace

void load_tile(Context& c, int) {
  const Tensor& part = c.region(0);
  Fresh fresh(c, c.call.type, matrix_extents(part.shape));
  fresh.fill_dense(dense(c.view(part)));
  c.result = std::move(fresh).value();
}

void store_region(Context& c, const View& from, const Tensor& to, bool add) {
  std::vector<std::byte> source = dense(from);
  if (!add) {
    put_dense(source, to.dtype, c.writable(to), to.shape, to.strides);
    return;
  }
  View flat{from.dtype, source.data(), to.shape, dense_strides(to.shape)};
  View current = c.view(to);
  if (is_float(to.dtype)) {
    Lanes<float> sum = floats(current);
    apply(Elementwise::Add, sum, floats(flat));
    put(to.dtype, sum, c.writable(to), to.shape, to.strides);
  } else {
    Lanes<int64_t> sum = integers(current);
    apply(Elementwise::Add, to.dtype, sum, integers(flat));
    put(to.dtype, sum, c.writable(to), to.shape, to.strides);
  }
}

namespace {

void store(Context& c, int) {
  store_region(c, c.view(size_t{0}), c.region(2), c.enum_attr<AtomicType>("atomic") == AtomicType::Add);
  c.result = c.value(2);
}

void move(Context& c, int) {
  c.result = c.value(0);
}

// --- single elements

Scalar element_at(DType dtype, const std::byte* at) {
  return is_float(dtype) ? Scalar::of_float(dtype, numeric::load_float(dtype, at))
                         : Scalar::of_int(dtype, numeric::load_integer(dtype, at));
}

void put_element(const Scalar& value, std::byte* at) {
  value.is_float() ? numeric::store_float(value.dtype, at, value.f)
                   : numeric::store_integer(value.dtype, at, value.i);
}

int64_t tile_offset(const Context& c) {
  const Tile& tile = c.tile(0);
  Dims index = c.integers(1), shape = {tile.rows, tile.cols};
  for (size_t i = 0; i < 2; ++i) {
    if (index[i] >= 0 && index[i] < shape[i]) continue;
    fail(diag::run_index, {std::to_string(index[i]), std::to_string(i), std::to_string(shape[i])});
  }
  return (index[0] * tile.cols + index[1]) * ir::bytes(tile.dtype);
}

void read_tile(Context& c, int) {
  c.result = element_at(c.tile(0).dtype, c.tile(0).data->data() + tile_offset(c));
}

void write_tile(Context& c, int) {
  Tile tile = c.tile(0);
  auto buffer = c.world.allocate(tile.data->size());
  std::memcpy(buffer->data(), tile.data->data(), static_cast<size_t>(tile.data->size()));
  put_element(c.scalar(2), buffer->data() + tile_offset(c));
  tile.data = std::move(buffer);
  c.result = std::move(tile);
}

void read_tensor(Context& c, int) {
  View view = c.view(c.region(0));
  c.result = element_at(view.dtype, view.base);
}

std::string explain_read(Context& c, int) {
  return "reads " + cell_text(c, c.region(0));
}

void write_tensor(Context& c, int) {
  put_element(c.scalar(2), c.writable(c.region(0)));
  c.result = c.value(0);
}

void dim(Context& c, int) {
  const Value& value = c.value(0);
  const Tile* tile = value.tile();
  Dims shape = tile ? Dims{tile->rows, tile->cols} : value.tensor()->shape;
  c.result = Scalar::of_int(DType::Index, shape[c.axis("i", shape.size())]);
}

}  // namespace

void add_move(OpEntries& entries) {
  entries.add(ops::pl::tile::create, create_tile);
  entries.add(ops::pl::tensor::create, create_tensor);
  entries.add(ops::pl::tensor::release, release);
  entries.add_both(ops::pl::tile::full, full);
  entries.add_both(ops::pl::tile::arange, arange);
  entries.add(ops::pl::tile::load, load_tile);
  entries.add(ops::pl::tile::store, store);
  entries.add(ops::pl::tile::move, move);
  entries.add(ops::pl::tile::read, read_tile);
  entries.add(ops::pl::tile::write, write_tile);
  entries.add(ops::pl::tensor::read, read_tensor, 0, nullptr, explain_read).reads_cells = true;
  entries.add(ops::pl::tensor::write, write_tensor);
  entries.add_both(ops::pl::tile::dim, dim);
}

}  // namespace tilewire::interp
