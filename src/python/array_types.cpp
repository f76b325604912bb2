#include "python/array_types.h"

#include <nanobind/stl/string.h>

#include "python/errors.h"
#include "python/language_objects.h"
#include "support/diagnostics/driver.h"

namespace tilewire::python {
namespace {

[[noreturn]] void refuse(Diag id, std::vector<std::string> arguments, const std::string& help) {
  Diagnostics diags;
  diags.report(id, {}, std::move(arguments)).with_help(help);
  raise_run_error(diags);
}

ir::DType element_type(const std::string& parameter, nb::handle dtype) {
  if (auto own = dtype_from(dtype)) return *own;
  std::string name = nb::cast<std::string>(nb::str(dtype));
  if (name.starts_with("torch.")) name = name.substr(6);
  if (auto found = dtype_from_array_name(name)) return *found;
  refuse(diag::argument_dtype, {parameter, "FP32 or another dtype of the language", name},
         "convert it, in NumPy: " + parameter + ".astype(np.float32)");
}

ir::TypeRef array_type(const std::string& parameter, nb::handle array, nb::handle shape) {
  ir::DType dtype = element_type(parameter, array.attr("dtype"));
  ir::ExprList dims;
  for (nb::handle extent : nb::borrow<nb::object>(shape)) {
    int64_t value = 0;
    if (!int_from(extent, value)) {
      refuse(diag::argument_kind, {parameter, "an array", "an object whose shape is not made of integers"},
             "pass a NumPy array");
    }
    dims.push_back(ir::const_index(value));
  }
  // NumPy's scalars are arrays without dimensions.
  if (dims.empty()) return ir::scalar_type(dtype);
  return ir::make<ir::TensorType>(Span{}, std::move(dims), dtype);
}

}  // namespace

ir::TypeRef type_of_argument(const std::string& parameter, nb::handle argument) {
  if (const auto* type = ir::as<ir::Type>(node_from(argument))) return ir::ref(type);
  if (nb::isinstance<DirectedType>(argument)) return nb::cast<const DirectedType&>(argument).type;
  nb::object shape = nb::getattr(argument, "shape", nb::none());
  if (!shape.is_none() && nb::hasattr(argument, "dtype")) return array_type(parameter, argument, shape);
  int64_t integer = 0;
  double number = 0;
  if (int_from(argument, integer)) return ir::scalar_type(ir::DType::Index);
  if (float_from(argument, number)) return ir::scalar_type(ir::DType::FP32);
  refuse(diag::argument_kind,
         {parameter, "an array or a number",
          argument.is_none() ? "None" : "an object of type " + given_type(argument)},
         "make an array of it: np.asarray(" + parameter + ", np.float32)");
}

}  // namespace tilewire::python
