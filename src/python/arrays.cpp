#include "python/arrays.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "driver/execute/array_names.h"
#include "python/array_types.h"
#include "python/convert.h"
#include "support/diagnostics/driver.h"

namespace tilewire::python {
namespace {

using ir::DType;

// Of a buffer's format, in native order and size.
std::optional<DType> dtype_of_format(std::string_view format, Py_ssize_t size) {
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<' || format[0] == '|')) {
    format.remove_prefix(1);
  }
  if (format.size() != 1) return std::nullopt;
  switch (format[0]) {
    case '?':
      return DType::Bool;
    case 'e':
      return DType::FP16;
    case 'f':
      return DType::FP32;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      return size == 1 ? DType::Int8 : size == 2 ? DType::Int16 : size == 4 ? DType::Int32 : DType::Int64;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      return size == 1 ? DType::UInt8 : size == 2 ? DType::UInt16 : size == 4 ? DType::UInt32 : DType::UInt64;
    default:
      return std::nullopt;
  }
}

std::string dtype_name(nb::handle object) {
  nb::object dtype = nb::getattr(object, "dtype", nb::none());
  if (dtype.is_none()) return "";
  std::string name = nb::cast<std::string>(nb::str(dtype));
  return name.starts_with("torch.") ? name.substr(6) : name;
}

}  // namespace

BorrowedArgument::BorrowedArgument(nb::handle object) {
  if (object.is_none() || take_number(object) || take_buffer(object) || take_reinterpreted(object)) return;
  take_dlpack(object);
}

void BorrowedArgument::check_kind(const driver::ParameterInfo& param, nb::handle object,
                                  Diagnostics& diags) const {
  if (fits && !(object.is_none() && param.needed)) return;
  const std::string& name = param.node->name;
  Diagnostic& d = diags.report(diag::argument_kind, param.node->span,
                               {name, ir::to_string(param.node->type),
                                object.is_none() ? "None" : "an object of type " + given_type(object)});
  if (!fits && param.tensor) {
    d.with_help("make an array of it: np.asarray(" + name + ", " + driver::array_type(param.dtype) + ")");
  }
}

BorrowedArgument::BorrowedArgument(BorrowedArgument&& other) noexcept
    : value(std::move(other.value)),
      fits(other.fits),
      has_buffer_(std::exchange(other.has_buffer_, false)),
      buffer_(other.buffer_),
      owner_(std::move(other.owner_)) {}

BorrowedArgument::~BorrowedArgument() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
}

bool BorrowedArgument::take_number(nb::handle object) {
  PyObject* o = object.ptr();
  if (PyBool_Check(o)) {
    value = driver::Number(o == Py_True);
  } else if (PyLong_Check(o)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow > 0) {
      unsigned long long large = PyLong_AsUnsignedLongLong(o);
      if (PyErr_Occurred()) throw nb::python_error();
      value = driver::Number(static_cast<uint64_t>(large));
    } else if (overflow < 0) {
      throw nb::value_error("an integer argument does not fit 64 bits");
    } else {
      value = driver::Number(static_cast<int64_t>(number));
    }
  } else if (PyFloat_Check(o)) {
    value = driver::Number(PyFloat_AS_DOUBLE(o));
  } else if (nb::object shape = nb::getattr(object, "shape", nb::none());
             PyTuple_Check(shape.ptr()) && PyTuple_GET_SIZE(shape.ptr()) == 0) {
    return take_number(object.attr("item")());  // NumPy's scalars, arrays without dimensions
  } else {
    return false;
  }
  return true;
}

bool BorrowedArgument::take_buffer(nb::handle object) {
  if (!PyObject_CheckBuffer(object.ptr())) return false;
  bool writable = true;
  if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_STRIDES | PyBUF_FORMAT | PyBUF_WRITABLE) != 0) {
    PyErr_Clear();
    writable = false;
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
      PyErr_Clear();
      return false;
    }
  }
  has_buffer_ = true;
  driver::Array array;
  array.data = buffer_.buf;
  array.writable = writable && !buffer_.readonly;
  std::string_view format = buffer_.format ? buffer_.format : "B";
  if (auto dtype = dtype_of_format(format, buffer_.itemsize)) {
    array.dtype = *dtype;
  } else {
    array.foreign = dtype_name(object);
    if (array.foreign.empty()) array.foreign = format;
  }
  array.shape.assign(buffer_.shape, buffer_.shape + buffer_.ndim);
  for (int i = 0; i < buffer_.ndim; ++i) {
    if (buffer_.itemsize == 0 || buffer_.strides[i] % buffer_.itemsize != 0) {
      throw nb::value_error("an array's strides must be multiples of the size of its elements");
    }
    array.strides.push_back(buffer_.strides[i] / buffer_.itemsize);
  }
  value = std::move(array);
  return true;
}

bool BorrowedArgument::take_reinterpreted(nb::handle object) {
  std::string name = dtype_name(object);
  bool torch = nb::hasattr(object, "__dlpack__") && nb::hasattr(object, "data_ptr");
  if (name != "bfloat16" && name != "int4" && !name.starts_with("float8_")) return false;
  if (torch && name == "bfloat16") return false;  // DLPack can say that one
  auto dtype = dtype_from_array_name(name);
  if (!dtype) return false;
  nb::object bits = torch ? object.attr("view")(nb::module_::import_("torch").attr("uint8"))
                          : object.attr("view")(name == "bfloat16" ? "uint16" : "uint8");
  if (torch) {
    take_dlpack(bits);
  } else if (!take_buffer(bits)) {
    return false;
  }
  std::get<driver::Array>(value).dtype = *dtype;
  return true;
}

void BorrowedArgument::take_dlpack(nb::handle object) {
  nb::ndarray<> tensor;
  if (!nb::hasattr(object, "__dlpack__") || !nb::try_cast(object, tensor)) {
    fits = false;
    return;
  }
  if (tensor.device_type() != nb::device::cpu::value) {
    throw nb::value_error("an array argument must be in the memory of the CPU");
  }
  driver::Array array;
  array.data = tensor.data();
  nb::dlpack::dtype type = tensor.dtype();
  auto code = static_cast<nb::dlpack::dtype_code>(type.code);
  auto pick = [&](DType b8, DType b16, DType b32, DType b64) {
    return type.bits == 8 ? b8 : type.bits == 16 ? b16 : type.bits == 32 ? b32 : b64;
  };
  if (code == nb::dlpack::dtype_code::Int) {
    array.dtype = pick(DType::Int8, DType::Int16, DType::Int32, DType::Int64);
  } else if (code == nb::dlpack::dtype_code::UInt) {
    array.dtype = pick(DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64);
  } else if (code == nb::dlpack::dtype_code::Bool) {
    array.dtype = DType::Bool;
  } else if (code == nb::dlpack::dtype_code::Float && type.bits <= 32) {
    array.dtype = type.bits == 16 ? DType::FP16 : DType::FP32;
  } else if (code == nb::dlpack::dtype_code::Bfloat) {
    array.dtype = DType::BF16;
  } else {
    array.foreign = dtype_name(object);
  }
  for (size_t i = 0; i < tensor.ndim(); ++i) {
    array.shape.push_back(static_cast<int64_t>(tensor.shape(i)));
    array.strides.push_back(tensor.stride(i));
  }
  value = std::move(array);
  owner_ = nb::cast(tensor);
}

nb::object new_array(DType dtype, const std::vector<int64_t>& shape) {
  nb::object numpy = nb::module_::import_("numpy");
  std::string name(array_name(dtype));
  nb::object type = numpy.attr("dtype")(
      is_numpy_name(dtype) ? nb::object(nb::str(name.c_str()))
                           : nb::object(nb::module_::import_("ml_dtypes").attr(name.c_str())));
  nb::list extents;
  for (int64_t extent : shape) extents.append(extent);
  return numpy.attr("zeros")(nb::tuple(extents), type);
}

nb::object array_over(const driver::Array& array, nb::object owner) {
  std::vector<size_t> shape(array.shape.begin(), array.shape.end());
  int size = ir::bytes(array.dtype);
  nb::dlpack::dtype bits{static_cast<uint8_t>(nb::dlpack::dtype_code::UInt), static_cast<uint8_t>(8 * size),
                         1};
  nb::object raw = nb::cast(
      nb::ndarray<nb::numpy>(array.data, shape.size(), shape.data(), owner, array.strides.data(), bits));
  nb::object like = new_array(array.dtype, {0});
  return raw.attr("view")(like.attr("dtype"));
}

}  // namespace tilewire::python
