// The types of arguments, for specialisation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "driver/execute/array_names.h"
#include "python/convert.h"

namespace tilewire::python {

// The type a parameter takes from an argument: an ir.Type itself, a tensor for anything with `shape` and
// `dtype`, a scalar for a number. Raises RunError, naming the parameter.
ir::TypeRef type_of_argument(const std::string& parameter, nb::handle argument);

using driver::array_name;
using driver::dtype_from_array_name;
using driver::is_numpy_name;

}  // namespace tilewire::python
