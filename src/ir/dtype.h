// Element types. The integer values are stored in serialised IR: append only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tilewire::ir {

enum class DType : uint8_t {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  FP16,
  BF16,
  FP32,
  FP8E4M3FN,
  FP8E5M2,
  Int4,
  Index,
  TaskId,
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;  // as written after `pl.`: "FP32"
  int bits;
  bool is_integer;  // INDEX and INT4 included, BOOL not
  bool is_signed;   // of the integers
  bool is_float;
};

const DTypeInfo& info(DType dtype);
std::span<const DTypeInfo> all_dtypes();
std::optional<DType> dtype_from_name(std::string_view name);

inline bool is_integer(DType dtype) {
  return info(dtype).is_integer;
}
inline bool is_float(DType dtype) {
  return info(dtype).is_float;
}
inline int bits(DType dtype) {
  return info(dtype).bits;
}
inline int bytes(DType dtype) {
  return (bits(dtype) + 7) / 8;
}  // of one element; INT4 rounds up

// Whether `value` can be held by an integer dtype or BOOL.
bool fits(int64_t value, DType dtype);
// `value` rounded to a float dtype, to nearest even; E4M3FN overflows to NaN.
double round_to(double value, DType dtype);

}  // namespace tilewire::ir
