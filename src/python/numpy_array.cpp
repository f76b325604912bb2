#include "python/numpy_array.h"

#include <string>

#include "python/array_types.h"

namespace tilewire::python {

namespace nb = nanobind;

namespace {

bool says(nb::handle array, PyObject* dtype) {
  const auto& fields = *reinterpret_cast<const NumpyArray*>(array.ptr());
  const nb::object shape = array.attr("shape"), strides = array.attr("strides"), flags = array.attr("flags");
  if (nb::len(shape) != static_cast<size_t>(fields.rank)) return false;
  for (int i = 0; i < fields.rank; ++i) {
    if (nb::cast<Py_ssize_t>(shape[i]) != fields.extents[i]) return false;
    if (nb::cast<Py_ssize_t>(strides[i]) != fields.strides[i]) return false;
  }
  return fields.dtype == dtype && nb::cast<bool>(flags.attr("aligned")) == fields.aligned() &&
         nb::cast<bool>(flags.attr("writeable")) == fields.writable() &&
         nb::cast<uintptr_t>(array.attr("__array_interface__")["data"][0]) ==
             reinterpret_cast<uintptr_t>(fields.data);
}

}  // namespace

const NumpyLayout& NumpyLayout::get() {
  static NumpyLayout layout;
  static bool learned = layout.learn();  // false: NumPy's arrays are unknown
  static_cast<void>(learned);
  return layout;
}

bool NumpyLayout::learn() {
  try {
    const nb::object numpy = nb::module_::import_("numpy");
    for (const ir::DTypeInfo& info : ir::all_dtypes()) {
      if (info.dtype == ir::DType::Index || info.dtype == ir::DType::TaskId || !is_numpy_name(info.dtype))
        continue;
      dtypes_[static_cast<size_t>(info.dtype)] =
          numpy.attr("dtype")(std::string(array_name(info.dtype)).c_str()).release().ptr();
    }
    PyObject* float32 = dtypes_[static_cast<size_t>(ir::DType::FP32)];
    const nb::object whole = numpy.attr("zeros")(nb::make_tuple(3, 4, 5), nb::handle(float32));
    const nb::object turned = whole.attr("transpose")(2, 0, 1);
    const nb::object locked = numpy.attr("zeros")(7, nb::handle(float32));
    locked.attr("setflags")(nb::arg("write") = false);
    if (!says(whole, float32) || !says(turned, float32) || !says(locked, float32)) return false;
    type_ = numpy.attr("ndarray").inc_ref().ptr();
    return true;
  } catch (nb::python_error&) {  // as without NumPy
    return false;
  }
}

}  // namespace tilewire::python
