// Elements of tiles and tensors as plain arrays to compute with: floats as float, integers and BOOL as
// int64_t (UINT64 by its bits). Row-major order, whatever the strides.
#pragma once

#include <vector>

#include "interp/context.h"

namespace tilewire::interp {

template <class T>
using Lanes = std::vector<T>;

// Calls f(elements from the start, number, stride) for every row of a shape, in row-major order.
template <class F>
void for_each_row(const Dims& shape, const Dims& strides, F f) {
  const size_t rank = shape.size();
  if (element_count(shape) == 0) return;
  if (rank == 0) return f(int64_t{0}, int64_t{1}, int64_t{1});
  Dims index(rank, 0);
  int64_t at = 0;
  while (true) {
    f(at, shape[rank - 1], strides[rank - 1]);
    size_t d = rank - 1;
    while (true) {
      if (d == 0) return;
      --d;
      at += strides[d];
      if (++index[d] < shape[d]) break;
      at -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

Lanes<float> floats(const View& view);
Lanes<int64_t> integers(const View& view);
template <class T>
Lanes<T> lanes(const View& view) {
  if constexpr (std::is_same_v<T, float>) {
    return floats(view);
  } else {
    return integers(view);
  }
}

// Rounded or wrapped to the dtype; `double` lanes are rounded once.
void put(DType dtype, const Lanes<float>& from, std::byte* to, const Dims& shape, const Dims& strides);
void put(DType dtype, const Lanes<double>& from, std::byte* to, const Dims& shape, const Dims& strides);
void put(DType dtype, const Lanes<int64_t>& from, std::byte* to, const Dims& shape, const Dims& strides);

// The elements themselves, dense.
std::vector<std::byte> dense(const View& view);
void put_dense(const std::vector<std::byte>& from, DType dtype, std::byte* to, const Dims& shape,
               const Dims& strides);

// --- new values of the type a call has

// A tile of the call's type, or a tensor of `extents`; of a tile `extents` are valid.
class Fresh {
 public:
  // `dtype` and physical shape come from `type`, one of the call's result types.
  Fresh(Context& context, const ir::TypeRef& type, Dims extents);
  template <class T>
  void fill(const Lanes<T>& from) {
    put(dtype_, from, data_, extents_, strides_);
  }
  void fill_dense(const std::vector<std::byte>& from) { put_dense(from, dtype_, data_, extents_, strides_); }
  DType dtype() const { return dtype_; }
  std::byte* data() { return data_; }
  const Dims& extents() const { return extents_; }
  const Dims& strides() const { return strides_; }
  Value value() &&;

 private:
  DType dtype_;
  Dims extents_, strides_;
  std::byte* data_;
  std::shared_ptr<Buffer> tile_;
  int64_t rows_ = 0, cols_ = 0;
  Tensor tensor_;
};

template <class T>
Value fresh_value(Context& context, Dims extents, const Lanes<T>& from) {
  Fresh fresh(context, context.call.type, std::move(extents));
  fresh.fill(from);
  return std::move(fresh).value();
}

// Fails unless the extents are equal where they meet.
void check_equal_extents(const Context& context, const Dims& a, const Dims& b);

}  // namespace tilewire::interp
