#include "ir/dtype.h"

#include <cmath>
#include <limits>

namespace tilewire::ir {
namespace {

constexpr DTypeInfo table[] = {
    {DType::Bool, "BOOL", 8, false, false, false},
    {DType::Int8, "INT8", 8, true, true, false},
    {DType::Int16, "INT16", 16, true, true, false},
    {DType::Int32, "INT32", 32, true, true, false},
    {DType::Int64, "INT64", 64, true, true, false},
    {DType::UInt8, "UINT8", 8, true, false, false},
    {DType::UInt16, "UINT16", 16, true, false, false},
    {DType::UInt32, "UINT32", 32, true, false, false},
    {DType::UInt64, "UINT64", 64, true, false, false},
    {DType::FP16, "FP16", 16, false, false, true},
    {DType::BF16, "BF16", 16, false, false, true},
    {DType::FP32, "FP32", 32, false, false, true},
    {DType::FP8E4M3FN, "FP8E4M3FN", 8, false, false, true},
    {DType::FP8E5M2, "FP8E5M2", 8, false, false, true},
    {DType::Int4, "INT4", 4, true, true, false},
    {DType::Index, "INDEX", 64, true, true, false},
    {DType::TaskId, "TASK_ID", 64, false, false, false},
};

// Rounds to a format with `mantissa` explicit bits, smallest normal exponent `min_exponent`, largest finite
// value `max`; beyond it the result is `overflow`.
double round_float(double value, int mantissa, int min_exponent, double max, double overflow) {
  if (std::isnan(value) || value == 0) return value;
  if (std::isinf(value)) return std::copysign(overflow, value);
  int exponent = std::max(std::ilogb(value), min_exponent);
  double unit = std::ldexp(1.0, exponent - mantissa);
  double rounded = std::nearbyint(value / unit) * unit;  // the default mode is to nearest even
  return std::fabs(rounded) > max ? std::copysign(overflow, value) : std::copysign(rounded, value);
}

}  // namespace

const DTypeInfo& info(DType dtype) {
  return table[static_cast<size_t>(dtype)];
}

std::span<const DTypeInfo> all_dtypes() {
  return table;
}

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeInfo& entry : table) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

bool fits(int64_t value, DType dtype) {
  if (dtype == DType::Bool) return value == 0 || value == 1;
  const DTypeInfo& i = info(dtype);
  if (!i.is_integer) return false;
  if (i.bits == 64) return i.is_signed || value >= 0;
  if (!i.is_signed) return value >= 0 && value < (int64_t{1} << i.bits);
  int64_t half = int64_t{1} << (i.bits - 1);
  return value >= -half && value < half;
}

double round_to(double value, DType dtype) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  switch (dtype) {
    case DType::FP32:
      return static_cast<float>(value);
    case DType::FP16:
      return round_float(value, 10, -14, 65504, inf);
    case DType::BF16:
      return round_float(value, 7, -126, 3.3895313892515355e38, inf);
    case DType::FP8E4M3FN:
      return round_float(value, 3, -6, 448, nan);
    case DType::FP8E5M2:
      return round_float(value, 2, -14, 57344, inf);
    default:
      return value;
  }
}

}  // namespace tilewire::ir
