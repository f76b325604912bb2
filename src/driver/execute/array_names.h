// Element types as NumPy, ml_dtypes and PyTorch call them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/dtype.h"

namespace tilewire::driver {

std::optional<ir::DType> dtype_from_array_name(std::string_view name);
std::string_view array_name(ir::DType dtype);  // "float32"
bool is_numpy_name(ir::DType dtype);           // else ml_dtypes has it
std::string array_type(ir::DType dtype);       // "np.float32", "ml_dtypes.bfloat16"

}  // namespace tilewire::driver
