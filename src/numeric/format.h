// The binary float formats, and rounding into them.
#pragma once

#include <bit>
#include <cstdint>

#include "numeric/numeric.h"

namespace tilewire::numeric {

// Magnitudes (encodings without the sign bit) grow with the values they encode, so rounding is arithmetic
// on them and a carry out of the mantissa is the next power of two.
struct Format {
  int mantissa;         // explicit bits
  int min_exponent;     // of the smallest normal number
  uint32_t max_finite;  // magnitude of the largest finite value
  uint32_t overflow;    // magnitude of what is larger: infinity, or NaN where there is none
  uint32_t nan;         // magnitude of the NaN that is written
  int sign_bit;         // position
};

inline constexpr Format fp32{23, -126, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 31};
inline constexpr Format fp16{10, -14, 0x7BFF, 0x7C00, 0x7E00, 15};
inline constexpr Format bf16{7, -126, 0x7F7F, 0x7F80, 0x7FC0, 15};
inline constexpr Format e4m3fn{3, -6, 0x7E, 0x7F, 0x7F, 7};
inline constexpr Format e5m2{2, -14, 0x7B, 0x7C, 0x7F, 7};

// Whether the magnitude below an exact value moves up to the next one; `rest` != 0 is what was cut off,
// `half` half a unit of it.
constexpr bool rounds_up(RoundMode mode, bool negative, bool odd, uint64_t rest, uint64_t half) {
  switch (mode) {
    case RoundMode::Rint:
      return rest > half || (rest == half && odd);
    case RoundMode::Round:
      return rest >= half;
    case RoundMode::Floor:
      return negative;
    case RoundMode::Ceil:
      return !negative;
    case RoundMode::Odd:
      return !odd;
    case RoundMode::Trunc:
      return false;
  }
  return false;
}

// The magnitude of |x| > max_finite once rounded.
constexpr uint32_t too_large(const Format& f, RoundMode mode, bool negative) {
  bool nearest = mode == RoundMode::Rint || mode == RoundMode::Round;
  bool outward = mode == (negative ? RoundMode::Floor : RoundMode::Ceil);
  return nearest || outward ? f.overflow : f.max_finite;
}

// `significand` * 2^exponent, with a sign, rounded to `f`.
constexpr uint32_t round_into(const Format& f, bool negative, uint64_t significand, int exponent,
                              RoundMode mode) {
  const uint32_t sign = static_cast<uint32_t>(negative) << f.sign_bit;
  if (significand == 0) return sign;
  const int leading = std::countl_zero(significand);
  significand <<= leading;
  const int power = 63 - leading + exponent;  // the value is in [2^power, 2^(power + 1))
  const int unit_power = power < f.min_exponent ? f.min_exponent : power;
  const int64_t shift = 63 - f.mantissa + (static_cast<int64_t>(unit_power) - power);
  uint64_t kept = 0, rest = 0, half = 0;
  if (shift <= 63) {
    kept = significand >> shift;
    rest = significand & ((uint64_t{1} << shift) - 1);
    half = uint64_t{1} << (shift - 1);
  } else {
    rest = shift == 64 ? significand : 1;
    half = shift == 64 ? uint64_t{1} << 63 : 2;
  }
  if (rest != 0 && rounds_up(mode, negative, kept & 1, rest, half)) ++kept;
  const uint64_t magnitude = (static_cast<uint64_t>(unit_power - f.min_exponent) << f.mantissa) + kept;
  if (magnitude > f.max_finite) return sign | too_large(f, mode, negative);
  return sign | static_cast<uint32_t>(magnitude);
}

constexpr uint32_t encode_into(const Format& f, double value, RoundMode mode) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const bool negative = bits >> 63;
  const int field = static_cast<int>(bits >> 52) & 0x7FF;
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  const uint32_t sign = static_cast<uint32_t>(negative) << f.sign_bit;
  if (field == 0x7FF) return sign | (fraction ? f.nan : f.overflow);
  if (field == 0) return round_into(f, negative, fraction, -1074, mode);
  return round_into(f, negative, fraction | (uint64_t{1} << 52), field - 1075, mode);
}

constexpr float decode_from(const Format& f, uint32_t bits) {
  const uint32_t magnitude = bits & ((uint32_t{1} << f.sign_bit) - 1);
  const uint32_t sign = ((bits >> f.sign_bit) & 1) << 31;
  if (magnitude > f.max_finite) {
    bool infinite = magnitude == f.overflow && f.overflow != f.nan;
    return std::bit_cast<float>(sign | (infinite ? 0x7F800000u : 0x7FC00000u));
  }
  const uint32_t field = magnitude >> f.mantissa;
  const uint32_t fraction = magnitude & ((uint32_t{1} << f.mantissa) - 1);
  const uint64_t significand = field ? fraction | (uint32_t{1} << f.mantissa) : fraction;
  const int exponent = f.min_exponent - f.mantissa + (field ? static_cast<int>(field) - 1 : 0);
  return std::bit_cast<float>(sign | round_into(fp32, false, significand, exponent, RoundMode::Rint));
}

}  // namespace tilewire::numeric
