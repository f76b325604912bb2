#include "interp/lanes.h"

#include <cstring>

#include "numeric/numeric.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {

using namespace ir;

namespace {

// `load` of numeric for every row.
template <class T, class Load>
Lanes<T> loaded(const View& view, Load load) {
  Lanes<T> out(static_cast<size_t>(element_count(view.shape)));
  T* to = out.data();
  const int64_t size = ir::bytes(view.dtype);
  for_each_row(view.shape, view.strides, [&](int64_t offset, int64_t count, int64_t stride) {
    load(view.dtype, view.base + offset * size, stride, static_cast<size_t>(count), to);
    to += count;
  });
  return out;
}

// And `store`.
template <class T, class Store>
void stored(DType dtype, const Lanes<T>& lanes, std::byte* to, const Dims& shape, const Dims& strides,
            Store store) {
  const T* from = lanes.data();
  const int64_t size = ir::bytes(dtype);
  for_each_row(shape, strides, [&](int64_t offset, int64_t count, int64_t stride) {
    store(dtype, from, static_cast<size_t>(count), to + offset * size, stride);
    from += count;
  });
}

void store_doubles(DType dtype, const double* from, size_t count, std::byte* to, int64_t stride) {
  for (size_t i = 0; i < count; ++i, to += stride * ir::bytes(dtype)) {
    numeric::store_float(dtype, to, from[i]);
  }
}

}  // namespace

Lanes<float> floats(const View& view) {
  return loaded<float>(view, numeric::load_floats);
}
Lanes<int64_t> integers(const View& view) {
  return loaded<int64_t>(view, numeric::load_integers);
}

void put(DType dtype, const Lanes<float>& from, std::byte* to, const Dims& shape, const Dims& strides) {
  stored(dtype, from, to, shape, strides, numeric::store_floats);
}
void put(DType dtype, const Lanes<double>& from, std::byte* to, const Dims& shape, const Dims& strides) {
  stored(dtype, from, to, shape, strides, store_doubles);
}
void put(DType dtype, const Lanes<int64_t>& from, std::byte* to, const Dims& shape, const Dims& strides) {
  stored(dtype, from, to, shape, strides, numeric::store_integers);
}

std::vector<std::byte> dense(const View& view) {
  const auto size = static_cast<size_t>(ir::bytes(view.dtype));
  std::vector<std::byte> out(static_cast<size_t>(element_count(view.shape)) * size);
  std::byte* to = out.data();
  for_each_row(view.shape, view.strides, [&](int64_t offset, int64_t count, int64_t stride) {
    const std::byte* from = view.base + offset * static_cast<int64_t>(size);
    if (stride == 1) {
      std::memcpy(to, from, static_cast<size_t>(count) * size);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(to + i * static_cast<int64_t>(size), from + i * stride * static_cast<int64_t>(size),
                    size);
      }
    }
    to += static_cast<size_t>(count) * size;
  });
  return out;
}

void put_dense(const std::vector<std::byte>& from, DType dtype, std::byte* to, const Dims& shape,
               const Dims& strides) {
  const auto size = static_cast<size_t>(ir::bytes(dtype));
  const std::byte* source = from.data();
  for_each_row(shape, strides, [&](int64_t offset, int64_t count, int64_t stride) {
    std::byte* target = to + offset * static_cast<int64_t>(size);
    for (int64_t i = 0; i < count; ++i, source += size) {
      std::memcpy(target + i * stride * static_cast<int64_t>(size), source, size);
    }
  });
}

Fresh::Fresh(Context& context, const TypeRef& type, Dims extents) : extents_(std::move(extents)) {
  if (const auto* tile = as<TileType>(type)) {
    dtype_ = tile->dtype;
    rows_ = tile->rows();
    cols_ = tile->cols();
    tile_ = context.new_elements(dtype_, checked_count({rows_, cols_}, dtype_));
    data_ = tile_->data();
    strides_ = {cols_, 1};
    return;
  }
  dtype_ = static_cast<const TensorType&>(*type).dtype;
  tensor_ = context.new_tensor(dtype_, extents_);
  data_ = context.writable(tensor_);
  strides_ = tensor_.strides;
}

Value Fresh::value() && {
  if (!tile_) return std::move(tensor_);
  return Tile{dtype_, rows_, cols_, extents_[0], extents_[1], std::move(tile_)};
}

void check_equal_extents(const Context& context, const Dims& a, const Dims& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] == b[i]) continue;
    fail(diag::run_extents_differ,
         {context.call.op->qualified(), std::to_string(i), std::to_string(a[i]), std::to_string(b[i])});
  }
}

}  // namespace tilewire::interp
