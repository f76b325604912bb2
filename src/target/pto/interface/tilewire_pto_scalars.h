// Arithmetic of scalars with the meaning the language gives it: integers wrap, `//` and `%` round down,
// shifts from the width of the type on give 0 or the sign, floats are computed in FP32.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "support/integers.h"
#include "tilewire_pto_runtime.h"

namespace tilewire::pto {

namespace detail {
template <class T>
struct Same {
  using type = T;
};
template <class T>
using same_t = typename Same<T>::type;

[[noreturn]] void fail(const char* where, const std::string& what);
std::string shown(int64_t value);
std::string shown(uint64_t value);
std::string shown(const std::vector<int64_t>& values);
// Rounded once, to nearest even; what is too large becomes an infinity.
float nearest(Type type, double value);
// The bits of a float of that type, and back.
uint64_t float_bits(Type type, float value);
float from_bits(Type type, uint32_t stored);

template <class T>
uint64_t bits(T value) {
  return static_cast<uint64_t>(static_cast<int64_t>(value));
}
}  // namespace detail

template <class T>
T add(T a, detail::same_t<T> b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return static_cast<T>(detail::bits(a) + detail::bits(b));
}
template <class T>
T sub(T a, detail::same_t<T> b) {
  if constexpr (std::is_floating_point_v<T>)
    return a - b;
  else
    return static_cast<T>(detail::bits(a) - detail::bits(b));
}
template <class T>
T mul(T a, detail::same_t<T> b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return static_cast<T>(detail::bits(a) * detail::bits(b));
}
template <class T>
T neg(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return -a;
  else
    return static_cast<T>(0 - detail::bits(a));
}
template <class T>
T abs_of(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(a);
  else
    return a < T(0) ? neg(a) : a;
}
// A NaN on either side is the result.
template <class T>
T min_of(T a, detail::same_t<T> b) {
  return a <= b || a != a ? a : b;
}
template <class T>
T max_of(T a, detail::same_t<T> b) {
  return a >= b || a != a ? a : b;
}
template <class T>
T bit_and(T a, detail::same_t<T> b) {
  return static_cast<T>(a & b);
}
template <class T>
T bit_or(T a, detail::same_t<T> b) {
  return static_cast<T>(a | b);
}
template <class T>
T bit_xor(T a, detail::same_t<T> b) {
  return static_cast<T>(a ^ b);
}
template <class T>
T bit_not(T a) {
  if constexpr (std::is_same_v<T, bool>)
    return !a;
  else
    return static_cast<T>(~a);
}

namespace detail {
// NumPy's divmod: the remainder has the sign of the divisor, the quotient is the integer it belongs to.
struct Division {
  float quotient, rest;
};
Division divide_floats(float a, float b);
}  // namespace detail

template <class T>
T quotient(T a, detail::same_t<T> b, const char* where) {
  if constexpr (std::is_floating_point_v<T>) {
    return detail::divide_floats(a, b).quotient;
  } else {
    if (b == 0) detail::fail(where, "`//` by zero");
    return floor_div<T>(a, b);
  }
}
template <class T>
T rest(T a, detail::same_t<T> b, const char* where) {
  if constexpr (std::is_floating_point_v<T>) {
    return detail::divide_floats(a, b).rest;
  } else {
    if (b == 0) detail::fail(where, "`%` by zero");
    return floor_mod<T>(a, b);
  }
}
template <class T>
T power(T a, detail::same_t<T> b, const char* where) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  } else {
    if (b < T(0)) detail::fail(where, "the exponent is negative: " + detail::shown(static_cast<int64_t>(b)));
    uint64_t result = 1, factor = detail::bits(a);
    for (uint64_t left = detail::bits(b); left != 0; left >>= 1, factor *= factor) {
      if (left & 1) result *= factor;
    }
    return static_cast<T>(result);
  }
}

namespace detail {
template <class T>
void check_shift(T b, const char* where) {
  if (b < T(0)) fail(where, "the shift count is negative: " + shown(static_cast<int64_t>(b)));
}
}  // namespace detail
template <class T>
T shift_left(T a, detail::same_t<T> b, const char* where) {
  detail::check_shift(b, where);
  const bool all = detail::bits(b) >= 8 * sizeof(T);
  return all ? T(0) : static_cast<T>(detail::bits(a) << detail::bits(b));
}
template <class T>
T shift_right(T a, detail::same_t<T> b, const char* where) {
  detail::check_shift(b, where);
  if (detail::bits(b) >= 8 * sizeof(T)) return a < T(0) ? static_cast<T>(-1) : T(0);
  return static_cast<T>(a >> b);
}

// FP16 and BF16 values are floats that have such a value.
inline float rounded(Type type, float value) {
  return detail::nearest(type, value);
}

// An integer as another type of integer, which must have the value.
template <class To, class From>
To narrow(From value, const char* where) {
  const To result = static_cast<To>(value);
  const bool same = static_cast<From>(result) == value && (result < To(0)) == (value < From(0));
  if (!same) {
    using Wide = std::conditional_t<std::is_signed_v<From>, int64_t, uint64_t>;
    detail::fail(where, detail::shown(static_cast<Wide>(value)) + " does not fit into " +
                            std::to_string(8 * sizeof(To)) + " bits");
  }
  return result;
}
// A float as an integer: rounded to nearest even, then saturated; NaN gives 0.
template <class To>
To integer(float value) {
  if (value != value) return To(0);
  const double whole = std::nearbyint(static_cast<double>(value));
  if (whole <= static_cast<double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  // The largest value of a 64-bit type is no double: what is above it is at least the power of two behind it.
  if (whole >= std::ldexp(1.0, std::numeric_limits<To>::digits)) return std::numeric_limits<To>::max();
  return static_cast<To>(whole);
}
// Anything as a float of that type.
template <class From>
float real(Type type, From value) {
  if constexpr (std::is_integral_v<From>) {
    if (type == Type::FP32) return static_cast<float>(value);
  }
  return detail::nearest(type, static_cast<double>(value));
}

}  // namespace tilewire::pto
