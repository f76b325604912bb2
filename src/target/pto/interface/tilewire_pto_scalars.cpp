#include "tilewire_pto_scalars.h"

#include <algorithm>
#include <cstring>

namespace tilewire::pto {

int64_t bytes_of(Type type) {
  switch (type) {
    case Type::Int16:
    case Type::UInt16:
    case Type::FP16:
    case Type::BF16:
      return 2;
    case Type::Int32:
    case Type::UInt32:
    case Type::FP32:
      return 4;
    case Type::Int64:
    case Type::UInt64:
    case Type::Index:
    case Type::TaskId:
      return 8;
    default:
      return 1;
  }
}

namespace detail {

void fail(const char* where, const std::string& what) {
  throw Error(std::string(where) + ": " + what);
}
std::string shown(int64_t value) {
  return std::to_string(value);
}
std::string shown(uint64_t value) {
  return std::to_string(value);
}

float nearest(Type type, double value) {
  const bool half = type == Type::FP16, small = half || type == Type::BF16;
  if (!small || value != value || std::isinf(value) || value == 0) return static_cast<float>(value);
  int exponent = 0;
  std::frexp(value, &exponent);  // value = m * 2^exponent, 0.5 <= m < 1
  const int unit = std::max(exponent - 1, half ? -14 : -126) - (half ? 10 : 7);
  const double whole = std::nearbyint(std::ldexp(value, -unit));
  const double result = std::ldexp(whole, unit);
  const double limit = std::ldexp(2.0, half ? 15 : 127);
  if (std::fabs(result) >= limit)
    return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(value));
  return static_cast<float>(result);
}

uint64_t float_bits(Type type, float value) {
  uint32_t wide = 0;
  std::memcpy(&wide, &value, 4);
  if (type == Type::BF16) return wide >> 16;
  if (type != Type::FP16) return wide;
  const uint32_t sign = wide >> 16 & 0x8000;
  if (value != value) return sign | 0x7E00;
  if (std::isinf(value)) return sign | 0x7C00;
  if (value == 0) return sign;
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(value), &exponent);
  if (exponent < -13) return sign | static_cast<uint32_t>(std::ldexp(fraction, exponent + 24));
  const auto mantissa = static_cast<uint32_t>(std::ldexp(fraction, 11)) & 0x3FF;
  return sign | static_cast<uint32_t>(exponent + 14) << 10 | mantissa;
}

float from_bits(Type type, uint32_t stored) {
  if (type == Type::FP16) {
    const auto exponent = static_cast<int>(stored >> 10 & 0x1F), mantissa = static_cast<int>(stored & 0x3FF);
    const float sign = stored & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31) {
      return mantissa ? std::numeric_limits<float>::quiet_NaN()
                      : sign * std::numeric_limits<float>::infinity();
    }
    const int significand = exponent == 0 ? mantissa : mantissa + 1024;
    return sign * std::ldexp(static_cast<float>(significand), std::max(exponent, 1) - 25);
  }
  const uint32_t wide = type == Type::BF16 ? stored << 16 : stored;
  float value = 0;
  std::memcpy(&value, &wide, 4);
  return value;
}

Division divide_floats(float a, float b) {
  float rest = std::fmod(a, b);
  if (b == 0) return {a / b, rest};
  float quotient = (a - rest) / b;
  if (rest != 0) {
    if ((b < 0) != (rest < 0)) {
      rest += b;
      quotient -= 1.0f;
    }
  } else {
    rest = std::copysign(0.0f, b);
  }
  if (quotient == 0) return {std::copysign(0.0f, a / b), rest};
  const float floored = std::floor(quotient);
  return {quotient - floored > 0.5f ? floored + 1.0f : floored, rest};
}

std::string shown(const std::vector<int64_t>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

}  // namespace detail

}  // namespace tilewire::pto
