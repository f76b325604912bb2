// Gather, scatter, sorting and running sums. A position outside the extent of its dimension is an error. NaN
// sorts before every number; runs of a ragged row are sorted as far as the row is valid.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "interp/lanes.h"
#include "interp/op_table.h"
#include "numeric/arithmetic.h"
#include "ops/handles.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

// Positions of `index` along `axis` of something of shape `extent`, checked; a row-major walk over its shape.
struct Positions {
  Lanes<int64_t> at;
  Dims shape, strides;  // of the walk, dense
  size_t axis;

  Positions(const View& index, size_t axis, int64_t extent)
      : at(integers(index)), shape(index.shape), strides(dense_strides(index.shape)), axis(axis) {
    for (int64_t position : at) {
      if (position >= 0 && position < extent) continue;
      fail(diag::run_index, {std::to_string(position), std::to_string(axis), std::to_string(extent)});
    }
  }
  // Where entry `i` of the walk lies in an array of `other` strides, in elements.
  int64_t place(size_t i, const Dims& other) const {
    int64_t offset = 0, left = static_cast<int64_t>(i);
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t coordinate = left / strides[d];
      left %= strides[d];
      offset += (d == axis ? at[i] : coordinate) * other[d];
    }
    return offset;
  }
};

int64_t extent_along(const Value& value, size_t axis) {
  if (const Tile* tile = value.tile()) return axis == 0 ? tile->rows : tile->cols;
  return value.tensor()->shape[axis];
}

// The part of `index` whose rows (or columns) `x` has; tensors must agree.
View index_view(const Context& c, size_t operand, size_t axis, const View& x) {
  View index = c.view(operand);
  for (size_t i = 0; i < index.shape.size(); ++i) {
    if (i == axis || index.shape[i] == x.shape[i]) continue;
    if (!c.value(operand).tile()) check_equal_extents(c, x.shape, index.shape);
    index.shape[i] = std::min(index.shape[i], x.shape[i]);
  }
  return index;
}

void gather(Context& c, int) {
  View x = c.view(size_t{0});
  const size_t axis = c.axis("axis", x.shape.size());
  View index = index_view(c, 1, axis, x);
  Positions positions(index, axis, extent_along(c.value(0), axis));
  const auto size = static_cast<size_t>(ir::bytes(x.dtype));
  std::vector<std::byte> out(positions.at.size() * size);
  for (size_t i = 0; i < positions.at.size(); ++i) {
    const std::byte* from = x.base + positions.place(i, x.strides) * static_cast<int64_t>(size);
    std::copy(from, from + size, out.data() + i * size);
  }
  Fresh fresh(c, c.call.type, index.shape);
  fresh.fill_dense(out);
  c.result = std::move(fresh).value();
}

void scatter_into(const Context& c, std::byte* to, const View& x, size_t axis) {
  View index = index_view(c, 1, axis, x), src = c.view(size_t{2});
  for (size_t i = 0; i < index.shape.size(); ++i) {
    if (!c.value(2).tile()) check_equal_extents(c, index.shape, src.shape);
    index.shape[i] = src.shape[i] = std::min(index.shape[i], src.shape[i]);
  }
  Positions positions(index, axis, extent_along(c.value(0), axis));
  const auto size = static_cast<size_t>(ir::bytes(x.dtype));
  std::vector<std::byte> source = dense(src);
  for (size_t i = 0; i < positions.at.size(); ++i) {
    const std::byte* from = source.data() + i * size;
    std::copy(from, from + size, to + positions.place(i, x.strides) * static_cast<int64_t>(size));
  }
}

void scatter_tile(Context& c, int) {
  Tile tile = c.tile(0);
  auto buffer = c.world.allocate(tile.data->size());
  std::copy(tile.data->data(), tile.data->data() + tile.data->size(), buffer->data());
  scatter_into(c, buffer->data(), c.view(tile), c.axis("axis", 2));
  tile.data = std::move(buffer);
  c.result = std::move(tile);
}

void scatter_tensor(Context& c, int) {
  const Tensor& x = c.tensor(0);
  std::byte* to = c.writable(x);
  scatter_into(c, to, c.view(x), c.axis("axis", x.shape.size()));
  c.result = c.value(0);
}

// --- sorting

bool before(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  return a > b;
}

// Sorts runs of `length` in every row, values and labels alike; stable, so merging sorted runs is the same.
void sort_runs(Context& c, int64_t length) {
  const auto& types = static_cast<const TupleType&>(*c.call.type).types;
  View x = c.view(size_t{0});
  const int64_t rows = x.shape[0], cols = x.shape[1];
  Lanes<float> values = floats(x);
  Lanes<int64_t> labels(values.size());
  if (c.has(1)) {
    View index = c.view(size_t{1});
    index.shape = x.shape;
    labels = integers(index);
  } else {
    for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int64_t>(i) % cols;
  }
  std::vector<size_t> order;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t from = 0; from < cols; from += length) {
      const int64_t to = std::min(cols, from + length);
      order.resize(static_cast<size_t>(to - from));
      std::iota(order.begin(), order.end(), static_cast<size_t>(row * cols + from));
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t i, size_t j) { return before(values[i], values[j]); });
      Lanes<float> sorted;
      Lanes<int64_t> sorted_labels;
      for (size_t i : order) {
        sorted.push_back(values[i]);
        sorted_labels.push_back(labels[i]);
      }
      std::copy(sorted.begin(), sorted.end(), values.begin() + row * cols + from);
      std::copy(sorted_labels.begin(), sorted_labels.end(), labels.begin() + row * cols + from);
    }
  }
  Fresh first(c, types[0], x.shape), second(c, types[1], x.shape);
  first.fill(values);
  second.fill(labels);
  TupleValue pair;
  pair.push_back(std::move(first).value());
  pair.push_back(std::move(second).value());
  c.result = std::move(pair);
}

void sort32(Context& c, int) {
  sort_runs(c, 32);
}

void mrgsort(Context& c, int) {
  sort_runs(c, c.int_attr("block_len") * 4);
}

// --- running sums

template <class T>
void running_sums(Context& c, const View& x, size_t axis) {
  Lanes<T> values = lanes<T>(x);
  const int64_t rows = x.shape[0], cols = x.shape[1];
  const int64_t step = axis == 1 ? 1 : cols, lines = axis == 1 ? rows : cols;
  for (int64_t line = 0; line < lines; ++line) {
    const int64_t first = axis == 1 ? line * cols : line;
    for (int64_t i = 1; i < x.shape[axis]; ++i) {
      T& value = values[static_cast<size_t>(first + i * step)];
      const T before = values[static_cast<size_t>(first + (i - 1) * step)];
      if constexpr (std::is_same_v<T, float>) {
        value = numeric::combine(Elementwise::Add, before, value);
      } else {
        value = numeric::combine(Elementwise::Add, x.dtype, before, value);
      }
    }
  }
  c.result = fresh_value(c, x.shape, values);
}

void cumsum(Context& c, int) {
  View x = c.view(size_t{0});
  const size_t axis = c.axis("axis", 2);
  is_float(x.dtype) ? running_sums<float>(c, x, axis) : running_sums<int64_t>(c, x, axis);
}

}  // namespace

void add_index_sort(OpEntries& entries) {
  entries.add_both(ops::pl::tile::gather, gather);
  entries.add(ops::pl::tile::scatter, scatter_tile);
  entries.add(ops::pl::tensor::scatter, scatter_tensor);
  entries.add(ops::pl::tile::sort32, sort32);
  entries.add(ops::pl::tile::mrgsort, mrgsort);
  entries.add(ops::pl::tile::cumsum, cumsum);
}

}  // namespace tilewire::interp
