// What a register of an interpreted function holds. Values are small and immutable: copying one shares it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "interp/buffer.h"
#include "ir/dtype.h"

namespace tilewire::interp {

using ir::DType;
using Dims = std::vector<int64_t>;
using StorageId = uint32_t;
using TaskNo = uint32_t;
inline constexpr StorageId no_storage = ~StorageId{0};
inline constexpr TaskNo no_task = ~TaskNo{0};

// Integers and BOOL in `i` (UINT64 by its bits), floats in `f`, already rounded to the dtype.
struct Scalar {
  DType dtype = DType::Index;
  union {
    int64_t i;
    double f;
  };

  Scalar() : i(0) {}
  static Scalar of_int(DType dtype, int64_t value) {
    Scalar s;
    s.dtype = dtype;
    s.i = value;
    return s;
  }
  static Scalar of_float(DType dtype, double value) {
    Scalar s;
    s.dtype = dtype;
    s.f = value;
    return s;
  }
  static Scalar of_bool(bool value) { return of_int(DType::Bool, value); }
  bool is_float() const { return ir::is_float(dtype); }
};

// Row-major elements; those outside the valid extent are unspecified.
struct Tile {
  DType dtype;
  int64_t rows, cols;
  int64_t valid_rows, valid_cols;
  std::shared_ptr<const Buffer> data;
};

// A part of a storage. Strides and offset count elements.
struct Tensor {
  StorageId storage = no_storage;  // none: a window seen from the host, which no rank's copy belongs to
  DType dtype = DType::FP32;
  int64_t offset = 0;
  Dims shape, strides;
  int32_t window = -1;     // the window buffer it is a part of
  bool untracked = false;  // pl.no_dep
  bool operator==(const Tensor&) const = default;
};

struct ArrayValue {
  DType dtype;
  std::vector<int64_t> elements;  // task ids by their number
  bool operator==(const ArrayValue&) const = default;
};

struct TaskHandle {
  TaskNo task = no_task;  // none: complete
  bool operator==(const TaskHandle&) const = default;
};
struct CommCtx {
  int32_t window = -1;  // of the group
  // Of a sub-group: how many ranks it has, and the distance from one to the next. 0: it is all of the group.
  int64_t size = 0;
  int64_t stride = 1;
  bool operator==(const CommCtx&) const = default;
};
struct WindowHandle {
  int32_t window = -1;
  bool operator==(const WindowHandle&) const = default;
};
// A result of a task that only its end will tell.
struct Future {
  TaskNo task;
  uint32_t index;
  bool operator==(const Future&) const = default;
};

struct Value;
using TupleValue = std::vector<Value>;

struct Value {
  std::variant<std::monostate, Scalar, std::shared_ptr<const Tensor>, std::shared_ptr<const Tile>,
               std::shared_ptr<const ArrayValue>, std::shared_ptr<const TupleValue>, TaskHandle, CommCtx,
               WindowHandle, Future>
      v;

  Value() = default;
  Value(Scalar s) : v(s) {}
  Value(Tensor t) : v(std::make_shared<const Tensor>(std::move(t))) {}
  Value(Tile t) : v(std::make_shared<const Tile>(std::move(t))) {}
  Value(ArrayValue a) : v(std::make_shared<const ArrayValue>(std::move(a))) {}
  Value(TupleValue t) : v(std::make_shared<const TupleValue>(std::move(t))) {}
  Value(TaskHandle t) : v(t) {}
  Value(CommCtx c) : v(c) {}
  Value(WindowHandle w) : v(w) {}
  Value(Future f) : v(f) {}

  bool empty() const { return v.index() == 0; }
  // Null when it is something else.
  const Scalar* scalar() const { return std::get_if<Scalar>(&v); }
  const Tensor* tensor() const { return held<Tensor>(); }
  const Tile* tile() const { return held<Tile>(); }
  const ArrayValue* array() const { return held<ArrayValue>(); }
  const TupleValue* tuple() const { return held<TupleValue>(); }
  const TaskHandle* task() const { return std::get_if<TaskHandle>(&v); }
  const CommCtx* comm_ctx() const { return std::get_if<CommCtx>(&v); }
  const WindowHandle* window() const { return std::get_if<WindowHandle>(&v); }
  const Future* future() const { return std::get_if<Future>(&v); }

 private:
  template <class T>
  const T* held() const {
    const auto* p = std::get_if<std::shared_ptr<const T>>(&v);
    return p ? p->get() : nullptr;
  }
};

inline int64_t element_count(const Dims& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}
Dims dense_strides(const Dims& shape);
// `[16, 64]`.
std::string text(const Dims& shape);

}  // namespace tilewire::interp
