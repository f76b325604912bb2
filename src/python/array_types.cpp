#include "python/array_types.h"

#include <nanobind/stl/string.h>

#include "python/language_objects.h"

namespace tilewire::python {
namespace {

struct ArrayName {
  std::string_view name;  // as NumPy, ml_dtypes and PyTorch print it
  ir::DType dtype;
};

constexpr ArrayName array_names[] = {
    {"bool", ir::DType::Bool},           {"int8", ir::DType::Int8},
    {"int16", ir::DType::Int16},         {"int32", ir::DType::Int32},
    {"int64", ir::DType::Int64},         {"uint8", ir::DType::UInt8},
    {"uint16", ir::DType::UInt16},       {"uint32", ir::DType::UInt32},
    {"uint64", ir::DType::UInt64},       {"float16", ir::DType::FP16},
    {"bfloat16", ir::DType::BF16},       {"float32", ir::DType::FP32},
    {"int4", ir::DType::Int4},           {"float8_e4m3fn", ir::DType::FP8E4M3FN},
    {"float8_e5m2", ir::DType::FP8E5M2},
};

[[noreturn]] void raise(const std::string& parameter, const std::string& what) {
  throw nb::type_error(("argument `" + parameter + "` " + what).c_str());
}

ir::DType element_type(const std::string& parameter, nb::handle dtype) {
  if (auto own = dtype_from(dtype)) return *own;
  std::string name = nb::cast<std::string>(nb::str(dtype));
  if (name.starts_with("torch.")) name = name.substr(6);
  if (auto found = dtype_from_array_name(name)) return *found;
  raise(parameter, "has element type " + name + ", which the language does not have");
}

ir::TypeRef array_type(const std::string& parameter, nb::handle array, nb::handle shape) {
  ir::DType dtype = element_type(parameter, array.attr("dtype"));
  ir::ExprList dims;
  for (nb::handle extent : nb::borrow<nb::object>(shape)) {
    int64_t value = 0;
    if (!int_from(extent, value)) raise(parameter, "has a shape that is not made of integers");
    dims.push_back(ir::const_index(value));
  }
  // NumPy's scalars are arrays without dimensions.
  if (dims.empty()) return ir::scalar_type(dtype);
  return ir::make<ir::TensorType>(Span{}, std::move(dims), dtype);
}

}  // namespace

std::optional<ir::DType> dtype_from_array_name(std::string_view name) {
  for (const ArrayName& entry : array_names) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

std::string_view array_name(ir::DType dtype) {
  for (const ArrayName& entry : array_names) {
    if (entry.dtype == dtype) return entry.name;
  }
  return "int64";  // INDEX
}

bool is_numpy_name(ir::DType dtype) {
  return dtype != ir::DType::BF16 && dtype != ir::DType::Int4 && dtype != ir::DType::FP8E4M3FN &&
         dtype != ir::DType::FP8E5M2;
}

ir::TypeRef type_of_argument(const std::string& parameter, nb::handle argument) {
  if (const auto* type = ir::as<ir::Type>(node_from(argument))) return ir::ref(type);
  if (nb::isinstance<DirectedType>(argument)) return nb::cast<const DirectedType&>(argument).type;
  nb::object shape = nb::getattr(argument, "shape", nb::none());
  if (!shape.is_none() && nb::hasattr(argument, "dtype")) return array_type(parameter, argument, shape);
  int64_t integer = 0;
  double number = 0;
  if (int_from(argument, integer)) return ir::scalar_type(ir::DType::Index);
  if (float_from(argument, number)) return ir::scalar_type(ir::DType::FP32);
  raise(parameter, "must be a type, an array or a number, not " + given_type(argument));
}

}  // namespace tilewire::python
