// The types of arguments, for specialisation.
#pragma once

#include <string>

#include "python/convert.h"

namespace tilewire::python {

// The type a parameter takes from an argument: an ir.Type itself, a tensor for anything with `shape` and
// `dtype`, a scalar for a number. Raises TypeError, naming the parameter.
ir::TypeRef type_of_argument(const std::string& parameter, nb::handle argument);

}  // namespace tilewire::python
