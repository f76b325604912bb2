// Single values. The loops over rows are in rows.cpp.
#include "numeric/numeric.h"

#include <cmath>
#include <cstring>

#include "numeric/format.h"
#include "support/diagnostics.h"

namespace tilewire::numeric {
namespace {

const Format& format_of(DType dtype) {
  switch (dtype) {
    case DType::FP32:
      return fp32;
    case DType::FP16:
      return fp16;
    case DType::BF16:
      return bf16;
    case DType::FP8E4M3FN:
      return e4m3fn;
    case DType::FP8E5M2:
      return e5m2;
    default:
      internal_error(__FILE__, __LINE__, "not a float dtype");
  }
}

double round_to_integer(double value, RoundMode mode) {
  double below = std::floor(value);
  switch (mode) {
    case RoundMode::Floor:
      return below;
    case RoundMode::Ceil:
      return std::ceil(value);
    case RoundMode::Trunc:
      return std::trunc(value);
    case RoundMode::Round:
      return std::round(value);
    case RoundMode::Odd:
      return below == value || std::fmod(below, 2.0) != 0 ? below : below + 1;
    case RoundMode::Rint:
      break;
  }
  double rest = value - below;
  bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0);
  return up ? below + 1 : below;
}

template <class T>
T read(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}
template <class T>
void write(void* element, T value) {
  std::memcpy(element, &value, sizeof value);
}

}  // namespace

uint32_t encode(DType dtype, double value, RoundMode mode) {
  return encode_into(format_of(dtype), value, mode);
}

float decode(DType dtype, uint32_t bits) {
  return dtype == DType::FP32 ? std::bit_cast<float>(bits) : decode_from(format_of(dtype), bits);
}

double round_float(DType dtype, double value, RoundMode mode) {
  if (dtype == DType::FP32 && mode == RoundMode::Rint) return static_cast<float>(value);
  return decode(dtype, encode(dtype, value, mode));
}

float round_float(DType dtype, float value) {
  return dtype == DType::FP32 ? value : decode(dtype, encode(dtype, value));
}

int64_t wrap(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::Bool:
      return value & 1;
    case DType::Int4:
      return static_cast<int64_t>(static_cast<uint64_t>(value) << 60) >> 60;
    case DType::Int8:
      return static_cast<int8_t>(value);
    case DType::Int16:
      return static_cast<int16_t>(value);
    case DType::Int32:
      return static_cast<int32_t>(value);
    case DType::UInt8:
      return static_cast<uint8_t>(value);
    case DType::UInt16:
      return static_cast<uint16_t>(value);
    case DType::UInt32:
      return static_cast<uint32_t>(value);
    default:
      return value;
  }
}

int64_t to_integer(DType dtype, double value, RoundMode mode) {
  if (dtype == DType::Bool) return value != 0;
  if (std::isnan(value)) return 0;
  double rounded = round_to_integer(value, mode);
  const ir::DTypeInfo& i = ir::info(dtype);
  // Powers of two are exact; the comparisons leave only values that fit.
  if (!i.is_signed) {
    if (rounded <= 0) return 0;
    double end = std::ldexp(1.0, i.bits);
    if (rounded >= end) return static_cast<int64_t>(~uint64_t{0} >> (64 - i.bits));
    return static_cast<int64_t>(static_cast<uint64_t>(rounded));
  }
  double end = std::ldexp(1.0, i.bits - 1);
  const int64_t largest = static_cast<int64_t>(~uint64_t{0} >> (65 - i.bits));
  if (rounded >= end) return largest;
  if (rounded < -end) return -largest - 1;
  return static_cast<int64_t>(rounded);
}

double to_float(DType dtype, int64_t value, bool is_unsigned, RoundMode mode) {
  bool negative = !is_unsigned && value < 0;
  uint64_t magnitude = negative ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return decode(dtype, round_into(format_of(dtype), negative, magnitude, 0, mode));
}

float load_float(DType dtype, const void* element) {
  switch (ir::bytes(dtype)) {
    case 1:
      return decode(dtype, read<uint8_t>(element));
    case 2:
      return decode(dtype, read<uint16_t>(element));
    default:
      return read<float>(element);
  }
}

void store_float(DType dtype, void* element, double value) {
  uint32_t bits = encode(dtype, value);
  switch (ir::bytes(dtype)) {
    case 1:
      return write(element, static_cast<uint8_t>(bits));
    case 2:
      return write(element, static_cast<uint16_t>(bits));
    default:
      return write(element, bits);
  }
}

int64_t load_integer(DType dtype, const void* element) {
  switch (dtype) {
    case DType::Bool:
      return read<uint8_t>(element) != 0;
    case DType::Int4:
      return wrap(dtype, read<int8_t>(element));
    case DType::Int8:
      return read<int8_t>(element);
    case DType::Int16:
      return read<int16_t>(element);
    case DType::Int32:
      return read<int32_t>(element);
    case DType::UInt8:
      return read<uint8_t>(element);
    case DType::UInt16:
      return read<uint16_t>(element);
    case DType::UInt32:
      return read<uint32_t>(element);
    default:
      return read<int64_t>(element);
  }
}

void store_integer(DType dtype, void* element, int64_t value) {
  int64_t kept = wrap(dtype, value);
  switch (ir::bytes(dtype)) {
    case 1:
      return write(element, static_cast<uint8_t>(kept));
    case 2:
      return write(element, static_cast<uint16_t>(kept));
    case 4:
      return write(element, static_cast<uint32_t>(kept));
    default:
      return write(element, kept);
  }
}

}  // namespace tilewire::numeric
