// What a call reads of a NumPy array, from the fields of the object: NumPy's C interface has had them at
// these places since 1.7 and promises to keep them. They are compared with what Python sees of an array
// before they are used; if they differ, arrays are read through the buffer protocol as any other object.
#pragma once

#include <nanobind/nanobind.h>

#include <array>

#include "ir/dtype.h"

namespace tilewire::python {

struct NumpyArray {
  PyObject_HEAD;
  char* data;
  int rank;
  Py_ssize_t* extents;
  Py_ssize_t* strides;  // in bytes
  PyObject* base;
  PyObject* dtype;
  int flags;

  bool aligned() const { return (flags & 0x100) != 0; }
  bool writable() const { return (flags & 0x400) != 0; }
};

class NumpyLayout {
 public:
  // Empty until NumPy has been imported; under the interpreter lock.
  static const NumpyLayout& get();

  // Null for anything but a plain numpy.ndarray.
  const NumpyArray* array(PyObject* object) const {
    return type_ && reinterpret_cast<PyObject*>(Py_TYPE(object)) == type_
               ? reinterpret_cast<const NumpyArray*>(object)
               : nullptr;
  }
  // NumPy has one object for each of its own dtypes in this machine's byte order.
  bool has_dtype(const NumpyArray& array, ir::DType dtype) const {
    return array.dtype == dtypes_[static_cast<size_t>(dtype)];
  }

 private:
  bool learn();

  PyObject* type_ = nullptr;  // null: the fields are not where they are expected
  std::array<PyObject*, static_cast<size_t>(ir::DType::TaskId) + 1> dtypes_{};
};

}  // namespace tilewire::python
