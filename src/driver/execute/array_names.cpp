#include "driver/execute/array_names.h"

namespace tilewire::driver {
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

std::string array_type(ir::DType dtype) {
  return (is_numpy_name(dtype) ? "np." : "ml_dtypes.") + std::string(array_name(dtype));
}

}  // namespace tilewire::driver
