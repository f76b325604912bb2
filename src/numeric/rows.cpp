// Loops over rows of elements: the dtype is looked at once per row, not once per element.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "numeric/format.h"
#include "numeric/numeric.h"
#include "support/diagnostics.h"

namespace tilewire::numeric {
namespace {

template <class Raw, class To, class Convert>
void load_row(const void* from, ptrdiff_t stride, size_t count, To* to, Convert convert) {
  const auto* p = static_cast<const std::byte*>(from);
  for (size_t i = 0; i < count; ++i, p += stride * static_cast<ptrdiff_t>(sizeof(Raw))) {
    Raw raw;
    std::memcpy(&raw, p, sizeof raw);
    to[i] = convert(raw);
  }
}

template <class Raw, class From, class Convert>
void store_row(const From* from, size_t count, void* to, ptrdiff_t stride, Convert convert) {
  auto* p = static_cast<std::byte*>(to);
  for (size_t i = 0; i < count; ++i, p += stride * static_cast<ptrdiff_t>(sizeof(Raw))) {
    Raw raw = static_cast<Raw>(convert(from[i]));
    std::memcpy(p, &raw, sizeof raw);
  }
}

bool holds_float(DType dtype) {
  return ir::is_float(dtype);
}

}  // namespace

void load_floats(DType dtype, const void* from, ptrdiff_t stride, size_t count, float* to) {
  switch (dtype) {
    case DType::FP32:
      return load_row<float>(from, stride, count, to, [](float v) { return v; });
    case DType::FP16:
      return load_row<uint16_t>(from, stride, count, to, [](uint16_t v) { return decode_from(fp16, v); });
    case DType::BF16:
      return load_row<uint16_t>(from, stride, count, to,
                                [](uint16_t v) { return std::bit_cast<float>(uint32_t{v} << 16); });
    case DType::FP8E4M3FN:
      return load_row<uint8_t>(from, stride, count, to, [](uint8_t v) { return decode_from(e4m3fn, v); });
    case DType::FP8E5M2:
      return load_row<uint8_t>(from, stride, count, to, [](uint8_t v) { return decode_from(e5m2, v); });
    default:
      internal_error(__FILE__, __LINE__, "not a float dtype");
  }
}

void store_floats(DType dtype, const float* from, size_t count, void* to, ptrdiff_t stride) {
  constexpr RoundMode rint = RoundMode::Rint;
  switch (dtype) {
    case DType::FP32:
      return store_row<float>(from, count, to, stride, [](float v) { return v; });
    case DType::FP16:
      return store_row<uint16_t>(from, count, to, stride, [](float v) { return encode_into(fp16, v, rint); });
    case DType::BF16:
      return store_row<uint16_t>(from, count, to, stride, [](float v) { return encode_into(bf16, v, rint); });
    case DType::FP8E4M3FN:
      return store_row<uint8_t>(from, count, to, stride,
                                [](float v) { return encode_into(e4m3fn, v, rint); });
    case DType::FP8E5M2:
      return store_row<uint8_t>(from, count, to, stride, [](float v) { return encode_into(e5m2, v, rint); });
    default:
      internal_error(__FILE__, __LINE__, "not a float dtype");
  }
}

void load_integers(DType dtype, const void* from, ptrdiff_t stride, size_t count, int64_t* to) {
  auto same = [](auto v) { return static_cast<int64_t>(v); };
  switch (dtype) {
    case DType::Bool:
      return load_row<uint8_t>(from, stride, count, to, [](uint8_t v) { return int64_t{v != 0}; });
    case DType::Int4:
      return load_row<int8_t>(from, stride, count, to, [](int8_t v) { return wrap(DType::Int4, v); });
    case DType::Int8:
      return load_row<int8_t>(from, stride, count, to, same);
    case DType::Int16:
      return load_row<int16_t>(from, stride, count, to, same);
    case DType::Int32:
      return load_row<int32_t>(from, stride, count, to, same);
    case DType::UInt8:
      return load_row<uint8_t>(from, stride, count, to, same);
    case DType::UInt16:
      return load_row<uint16_t>(from, stride, count, to, same);
    case DType::UInt32:
      return load_row<uint32_t>(from, stride, count, to, same);
    default:
      return load_row<int64_t>(from, stride, count, to, same);
  }
}

void store_integers(DType dtype, const int64_t* from, size_t count, void* to, ptrdiff_t stride) {
  auto same = [](int64_t v) { return v; };
  switch (dtype) {
    case DType::Bool:
    case DType::Int4:
      return store_row<int8_t>(from, count, to, stride, [dtype](int64_t v) { return wrap(dtype, v); });
    case DType::Int8:
    case DType::UInt8:
      return store_row<uint8_t>(from, count, to, stride, same);
    case DType::Int16:
    case DType::UInt16:
      return store_row<uint16_t>(from, count, to, stride, same);
    case DType::Int32:
    case DType::UInt32:
      return store_row<uint32_t>(from, count, to, stride, same);
    default:
      return store_row<int64_t>(from, count, to, stride, same);
  }
}

void cast(DType from_dtype, const void* from, DType to_dtype, void* to, size_t count, RoundMode mode) {
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  const size_t step = ir::bytes(from_dtype), to_step = ir::bytes(to_dtype);
  const bool is_unsigned = from_dtype == DType::UInt64;
  for (size_t i = 0; i < count; ++i, source += step, target += to_step) {
    if (holds_float(from_dtype)) {
      float value = load_float(from_dtype, source);
      if (!holds_float(to_dtype)) {
        store_integer(to_dtype, target, to_integer(to_dtype, value, mode));
      } else {
        store_float(to_dtype, target, round_float(to_dtype, static_cast<double>(value), mode));
      }
      continue;
    }
    int64_t value = load_integer(from_dtype, source);
    if (holds_float(to_dtype)) {
      store_float(to_dtype, target, to_float(to_dtype, value, is_unsigned, mode));
    } else {
      store_integer(to_dtype, target, to_dtype == DType::Bool ? value != 0 : value);
    }
  }
}

void poison(DType dtype, void* to, size_t count) {
  auto* p = static_cast<std::byte*>(to);
  const size_t step = ir::bytes(dtype);
  if (!holds_float(dtype)) {
    int byte = dtype == DType::Bool ? 1 : dtype == DType::Int4 ? 0xFA : 0xA5;
    std::memset(p, byte, count * step);
    return;
  }
  std::byte nan[4];
  store_float(dtype, nan, std::numeric_limits<double>::quiet_NaN());
  for (size_t i = 0; i < count; ++i) std::memcpy(p + i * step, nan, step);
}

}  // namespace tilewire::numeric
