// Integer arithmetic where C++ differs from the language: division rounds down, and results that
// overflow 64 bits are detected.
#pragma once

#include <cstdint>
#include <optional>

namespace tilewire {

template <class T>
constexpr T wrapping_neg(T a) {
  T r{};
  static_cast<void>(__builtin_sub_overflow(T(0), a, &r));
  return r;
}

// `b` is not 0. The lowest value divided by -1 wraps to itself.
template <class T>
constexpr T floor_div(T a, T b) {
  if constexpr (T(-1) < T(0)) {
    if (b == -1) return wrapping_neg(a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  }
  return a / b;
}

// The rest of floor_div; it has the sign of `b`.
template <class T>
constexpr T floor_mod(T a, T b) {
  if constexpr (T(-1) < T(0)) {
    if (b == -1) return 0;
    T rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  return a % b;
}

// Nothing when the result does not fit, or when there is none: a zero divisor, a negative shift.
using Checked = std::optional<int64_t>;

inline Checked checked_add(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_add_overflow(a, b, &r) ? Checked() : r;
}
inline Checked checked_sub(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_sub_overflow(a, b, &r) ? Checked() : r;
}
inline Checked checked_mul(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_mul_overflow(a, b, &r) ? Checked() : r;
}
inline Checked checked_floor_div(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return {};
  return floor_div(a, b);
}
inline Checked checked_floor_mod(int64_t a, int64_t b) {
  return b == 0 ? Checked() : floor_mod(a, b);
}
inline Checked checked_shl(int64_t a, int64_t b) {
  if (b < 0) return {};
  if (a == 0) return 0;
  return b > 62 ? Checked() : checked_mul(a, int64_t{1} << b);
}
inline Checked checked_shr(int64_t a, int64_t b) {
  return b < 0 ? Checked() : a >> (b < 63 ? b : 63);
}
inline Checked checked_pow(int64_t base, int64_t exponent) {
  if (exponent < 0) return {};
  Checked result = 1, factor = base;
  for (; result && exponent > 0; exponent >>= 1) {
    if (!factor) return {};
    if (exponent & 1) result = checked_mul(*result, *factor);
    factor = checked_mul(*factor, *factor);
  }
  return result;
}

}  // namespace tilewire
