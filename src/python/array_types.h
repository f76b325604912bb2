// The types of arguments, for specialisation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "python/convert.h"

namespace tilewire::python {

// The type a parameter takes from an argument: an ir.Type itself, a tensor for anything with `shape` and
// `dtype`, a scalar for a number. Raises TypeError, naming the parameter.
ir::TypeRef type_of_argument(const std::string& parameter, nb::handle argument);

// Element types by the name that NumPy, ml_dtypes and PyTorch print.
std::optional<ir::DType> dtype_from_array_name(std::string_view name);
std::string_view array_name(ir::DType dtype);
bool is_numpy_name(ir::DType dtype);  // one of NumPy's own; the others are in ml_dtypes

}  // namespace tilewire::python
