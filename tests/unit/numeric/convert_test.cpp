// Every format is checked against a definition that shares nothing with the code: the list of all its values,
// computed from the definition of the encoding, and a search in that list.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "numeric/numeric.h"

namespace tilewire::numeric {
namespace {

struct Layout {
  DType dtype;
  int exponent_bits, mantissa_bits, bias;
  bool infinities;  // the all-ones exponent is special; else only the all-ones encoding is, as NaN
};

const Layout layouts[] = {
    {DType::FP16, 5, 10, 15, true},
    {DType::BF16, 8, 7, 127, true},
    {DType::FP8E4M3FN, 4, 3, 7, false},
    {DType::FP8E5M2, 5, 2, 15, true},
};

// By the definition of the encoding, with powers of two.
double define(const Layout& l, uint32_t bits) {
  int mantissa = static_cast<int>(bits % (1u << l.mantissa_bits));
  int exponent = static_cast<int>((bits >> l.mantissa_bits) % (1u << l.exponent_bits));
  double sign = (bits >> (l.mantissa_bits + l.exponent_bits)) & 1 ? -1 : 1;
  int all_ones = (1 << l.exponent_bits) - 1;
  if (exponent == all_ones) {
    if (l.infinities && mantissa == 0) return sign * std::numeric_limits<double>::infinity();
    if (l.infinities || mantissa == (1 << l.mantissa_bits) - 1) return std::nan("");
  }
  double fraction = mantissa * std::pow(2.0, -l.mantissa_bits);
  if (exponent == 0) return sign * fraction * std::pow(2.0, 1 - l.bias);
  return sign * (1 + fraction) * std::pow(2.0, exponent - l.bias);
}

uint32_t encodings(const Layout& l) {
  return 1u << (1 + l.exponent_bits + l.mantissa_bits);
}

// All finite values, ascending, one zero; `even` of the encoding's last bit.
struct Point {
  double value;
  bool even;
};
std::vector<Point> finite_points(const Layout& l) {
  std::vector<Point> points;
  for (uint32_t bits = 0; bits < encodings(l); ++bits) {
    double value = define(l, bits);
    if (std::isfinite(value) && !(value == 0 && std::signbit(value)))
      points.push_back({value, bits % 2 == 0});
  }
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.value < b.value; });
  return points;
}

double overflow(const Layout& l, double sign) {
  return l.infinities ? std::copysign(std::numeric_limits<double>::infinity(), sign) : std::nan("");
}

double slow_round(const Layout& l, const std::vector<Point>& points, double x, RoundMode mode) {
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return overflow(l, x);
  auto above = std::lower_bound(points.begin(), points.end(), x,
                                [](const Point& p, double value) { return p.value < value; });
  if (above != points.end() && above->value == x) return x;
  const Point largest = points.back();
  if (above == points.end() || above == points.begin()) {
    double unit = largest.value - (points.end() - 2)->value;
    bool nearest = mode == RoundMode::Rint || mode == RoundMode::Round;
    if (nearest) {
      double excess = std::fabs(x) - largest.value;
      // One more value would be odd or even, as the largest is not.
      bool away = excess > unit / 2 || (excess == unit / 2 && (mode == RoundMode::Round || !largest.even));
      return away ? overflow(l, x) : std::copysign(largest.value, x);
    }
    bool outward = mode == (x > 0 ? RoundMode::Ceil : RoundMode::Floor);
    return outward ? overflow(l, x) : std::copysign(largest.value, x);
  }
  Point high = *above, low = *(above - 1);
  double to_low = x - low.value, to_high = high.value - x;
  switch (mode) {
    case RoundMode::Floor:
      return low.value;
    case RoundMode::Ceil:
      return high.value;
    case RoundMode::Trunc:
      return x > 0 ? low.value : high.value;
    case RoundMode::Odd:
      return low.even ? high.value : low.value;
    case RoundMode::Round:
      if (to_low == to_high) return x > 0 ? high.value : low.value;
      break;
    case RoundMode::Rint:
      if (to_low == to_high) return low.even ? low.value : high.value;
      break;
  }
  return to_low < to_high ? low.value : high.value;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || a == b;
}

const RoundMode modes[] = {RoundMode::Rint, RoundMode::Round, RoundMode::Floor,
                           RoundMode::Ceil, RoundMode::Trunc, RoundMode::Odd};

TEST(Formats, EveryEncodingDecodesAsDefinedAndRoundTrips) {
  for (const Layout& l : layouts) {
    for (uint32_t bits = 0; bits < encodings(l); ++bits) {
      double expected = define(l, bits);
      float value = decode(l.dtype, bits);
      ASSERT_TRUE(same(value, expected)) << ir::info(l.dtype).name << " " << bits;
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(decode(l.dtype, encode(l.dtype, value))));
        continue;
      }
      ASSERT_EQ(std::signbit(value), std::signbit(expected));
      for (RoundMode mode : modes) ASSERT_EQ(encode(l.dtype, value, mode), bits) << static_cast<int>(mode);
    }
  }
}

TEST(Formats, MidpointsAndTheirNeighboursRoundAsDefined) {
  for (const Layout& l : layouts) {
    std::vector<Point> points = finite_points(l);
    for (size_t i = 0; i + 1 < points.size(); ++i) {
      double middle = (points[i].value + points[i + 1].value) / 2;  // exact in double
      for (double x : {middle, std::nextafter(middle, -INFINITY), std::nextafter(middle, INFINITY)}) {
        for (RoundMode mode : modes) {
          ASSERT_TRUE(same(round_float(l.dtype, x, mode), slow_round(l, points, x, mode)))
              << ir::info(l.dtype).name << " " << x << " mode " << static_cast<int>(mode);
        }
      }
    }
  }
}

TEST(Formats, BeyondTheLargestAndBelowTheSmallest) {
  for (const Layout& l : layouts) {
    std::vector<Point> points = finite_points(l);
    double largest = points.back().value, unit = largest - (points.end() - 2)->value;
    double smallest = std::upper_bound(points.begin(), points.end(), 0.0, [](double v, const Point& p) {
                        return v < p.value;
                      })->value;
    std::vector<double> values = {INFINITY,     1e300,        5e-324,         1e-300,
                                  smallest / 2, smallest / 4, smallest * 0.75};
    for (double step : {0.25, 0.5, 0.75, 1.0, 1.5}) values.push_back(largest + step * unit);
    values.push_back(std::nextafter(largest + unit / 2, 0.0));
    values.push_back(std::nextafter(largest + unit / 2, INFINITY));
    for (double x : values) {
      for (double signed_x : {x, -x}) {
        for (RoundMode mode : modes) {
          ASSERT_TRUE(same(round_float(l.dtype, signed_x, mode), slow_round(l, points, signed_x, mode)))
              << ir::info(l.dtype).name << " " << signed_x << " mode " << static_cast<int>(mode);
        }
      }
    }
  }
}

TEST(Formats, RandomDoublesRoundAsDefined) {
  std::mt19937_64 random(20260115);
  for (const Layout& l : layouts) {
    std::vector<Point> points = finite_points(l);
    for (int i = 0; i < 20000; ++i) {
      // Exponents spread over the range of the format and a little beyond it.
      double x = std::ldexp(1.0 + static_cast<double>(random() >> 12) * 0x1p-52,
                            static_cast<int>(random() % (4 * l.bias + 8)) - 2 * l.bias - 4 - l.mantissa_bits);
      if (random() & 1) x = -x;
      RoundMode mode = modes[random() % 6];
      ASSERT_TRUE(same(round_float(l.dtype, x, mode), slow_round(l, points, x, mode))) << x;
      ASSERT_TRUE(same(round_float(l.dtype, x), ir::round_to(x, l.dtype))) << x;
    }
  }
}

TEST(Formats, FloatsOf32BitsRoundAsTheMachineDoes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = random();
    double x;
    std::memcpy(&x, &bits, sizeof x);
    if (i % 2)
      x = std::ldexp(1 + static_cast<double>(bits >> 12) * 0x1p-52, static_cast<int>(bits % 300) - 160);
    float expected = static_cast<float>(x);
    ASSERT_TRUE(same(decode(DType::FP32, encode(DType::FP32, x)), expected)) << x;
    float down = static_cast<float>(round_float(DType::FP32, x, RoundMode::Floor));
    if (std::isfinite(x) && std::isfinite(expected)) {
      ASSERT_LE(down, x);
      ASSERT_TRUE(std::nextafter(down, INFINITY) > x || down == x);
    }
  }
}

TEST(Integers, WrapKeepsTheLowBits) {
  EXPECT_EQ(wrap(DType::Int4, 7), 7);
  EXPECT_EQ(wrap(DType::Int4, 8), -8);
  EXPECT_EQ(wrap(DType::Int4, 31), -1);
  EXPECT_EQ(wrap(DType::Int8, 200), -56);
  EXPECT_EQ(wrap(DType::UInt8, -1), 255);
  EXPECT_EQ(wrap(DType::Int32, int64_t{1} << 31), INT32_MIN);
  EXPECT_EQ(wrap(DType::UInt32, -1), 0xFFFFFFFF);
  EXPECT_EQ(wrap(DType::Int64, INT64_MIN), INT64_MIN);
}

TEST(Integers, FloatsSaturate) {
  EXPECT_EQ(to_integer(DType::Int8, 127.5), 127);
  EXPECT_EQ(to_integer(DType::Int8, 1e30), 127);
  EXPECT_EQ(to_integer(DType::Int8, -129), -128);
  EXPECT_EQ(to_integer(DType::UInt8, -3), 0);
  EXPECT_EQ(to_integer(DType::UInt8, 300), 255);
  EXPECT_EQ(to_integer(DType::Int4, 100), 7);
  EXPECT_EQ(to_integer(DType::Int4, -100), -8);
  EXPECT_EQ(to_integer(DType::Int64, 1e300), INT64_MAX);
  EXPECT_EQ(to_integer(DType::Int64, -INFINITY), INT64_MIN);
  EXPECT_EQ(to_integer(DType::Index, 0x1p63), INT64_MAX);
  EXPECT_EQ(to_integer(DType::UInt64, 0x1p64), -1);
  EXPECT_EQ(to_integer(DType::UInt64, 0x1p63), INT64_MIN);
  EXPECT_EQ(to_integer(DType::Int32, std::nan("")), 0);
  EXPECT_EQ(to_integer(DType::UInt32, std::nan("")), 0);
  EXPECT_EQ(to_integer(DType::Bool, std::nan("")), 1);
  EXPECT_EQ(to_integer(DType::Bool, 0.25), 1);
  EXPECT_EQ(to_integer(DType::Bool, -0.0), 0);
}

TEST(Integers, ModesOfRounding) {
  struct Row {
    double x;
    int64_t rint, round, floor, ceil, trunc;
  };
  const Row rows[] = {{2.5, 2, 3, 2, 3, 2},
                      {3.5, 4, 4, 3, 4, 3},
                      {-2.5, -2, -3, -3, -2, -2},
                      {-0.5, 0, -1, -1, 0, 0},
                      {0.5, 0, 1, 0, 1, 0},
                      {2.4, 2, 2, 2, 3, 2},
                      {-2.6, -3, -3, -3, -2, -2},
                      {7.0, 7, 7, 7, 7, 7},
                      {0.49999999999999994, 0, 0, 0, 1, 0},
                      {2251799813685249.5, 2251799813685250, 2251799813685250, 2251799813685249,
                       2251799813685250, 2251799813685249}};
  for (const Row& row : rows) {
    EXPECT_EQ(to_integer(DType::Int64, row.x, RoundMode::Rint), row.rint) << row.x;
    EXPECT_EQ(to_integer(DType::Int64, row.x, RoundMode::Round), row.round) << row.x;
    EXPECT_EQ(to_integer(DType::Int64, row.x, RoundMode::Floor), row.floor) << row.x;
    EXPECT_EQ(to_integer(DType::Int64, row.x, RoundMode::Ceil), row.ceil) << row.x;
    EXPECT_EQ(to_integer(DType::Int64, row.x, RoundMode::Trunc), row.trunc) << row.x;
  }
}

TEST(Integers, BecomeFloatsWithOneRounding) {
  // Through FP32 or FP64 first these would be ties and go the other way.
  EXPECT_EQ(to_float(DType::BF16, (int64_t{257} << 40) + 1, false), 258.0 * std::ldexp(1, 40));
  EXPECT_EQ(to_float(DType::FP32, (int64_t{1} << 60) + (int64_t{1} << 36) + 1, false),
            std::ldexp(1, 60) + std::ldexp(1, 37));
  EXPECT_EQ(to_float(DType::FP32, INT64_MIN, false), -0x1p63);
  EXPECT_EQ(to_float(DType::FP32, -1, true), 0x1p64);
  EXPECT_EQ(to_float(DType::FP16, 70000, false), INFINITY);
  EXPECT_EQ(to_float(DType::FP16, 70000, false, RoundMode::Trunc), 65504);
  EXPECT_TRUE(std::isnan(to_float(DType::FP8E4M3FN, 1000, false)));
}

TEST(Memory, EveryElementRoundTripsAndRowsAgreeWithElements) {
  std::mt19937_64 random(3);
  for (const ir::DTypeInfo& type : ir::all_dtypes()) {
    const size_t size = ir::bytes(type.dtype), count = 257;
    std::vector<unsigned char> from(count * size * 3), to(count * size * 2), back(count * size * 2);
    for (auto& byte : from) byte = static_cast<unsigned char>(random());
    if (type.is_float) {
      std::vector<float> row(count);
      load_floats(type.dtype, from.data(), 3, count, row.data());
      store_floats(type.dtype, row.data(), count, to.data(), 2);
      for (size_t i = 0; i < count; ++i) {
        float one = load_float(type.dtype, from.data() + 3 * i * size);
        ASSERT_TRUE(same(row[i], one));
        store_float(type.dtype, back.data() + 2 * i * size, one);
      }
    } else {
      std::vector<int64_t> row(count);
      load_integers(type.dtype, from.data(), 3, count, row.data());
      store_integers(type.dtype, row.data(), count, to.data(), 2);
      for (size_t i = 0; i < count; ++i) {
        int64_t one = load_integer(type.dtype, from.data() + 3 * i * size);
        ASSERT_EQ(row[i], one);
        ASSERT_EQ(wrap(type.dtype, one), one);
        store_integer(type.dtype, back.data() + 2 * i * size, one);
      }
    }
    ASSERT_EQ(to, back) << type.name;
  }
}

TEST(Memory, Int4HasAByteAndASign) {
  int8_t byte = 0;
  store_integer(DType::Int4, &byte, 13);
  EXPECT_EQ(byte, -3);
  EXPECT_EQ(load_integer(DType::Int4, &byte), -3);
}

TEST(Memory, CastsOfRows) {
  const float floats[] = {1.5f, -2.5f, 300.f, std::nanf(""), -INFINITY, 0.f};
  int8_t bytes[6];
  cast(DType::FP32, floats, DType::Int8, bytes, 6);
  EXPECT_EQ(std::vector<int>(bytes, bytes + 6), (std::vector<int>{2, -2, 127, 0, -128, 0}));
  cast(DType::FP32, floats, DType::Int8, bytes, 2, RoundMode::Floor);
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(bytes[1], -3);
  uint8_t flags[6];
  cast(DType::FP32, floats, DType::Bool, flags, 6);
  EXPECT_EQ(std::vector<int>(flags, flags + 6), (std::vector<int>{1, 1, 1, 1, 1, 0}));
  const int32_t wide[] = {300, -1, 128};
  cast(DType::Int32, wide, DType::UInt8, flags, 3);
  EXPECT_EQ(std::vector<int>(flags, flags + 3), (std::vector<int>{44, 255, 128}));
  cast(DType::Int32, wide, DType::Bool, flags, 3);
  EXPECT_EQ(flags[0], 1);
  const uint64_t huge[] = {~uint64_t{0}};
  float f;
  cast(DType::UInt64, huge, DType::FP32, &f, 1);
  EXPECT_EQ(f, 0x1p64f);
  cast(DType::Bool, flags, DType::FP32, &f, 1);
  EXPECT_EQ(f, 1.0f);
}

TEST(Memory, PoisonIsNotANumberAnywhere) {
  for (const ir::DTypeInfo& type : ir::all_dtypes()) {
    unsigned char bytes[32] = {};
    poison(type.dtype, bytes, 4);
    for (int i = 0; i < 4; ++i) {
      const void* element = bytes + i * ir::bytes(type.dtype);
      if (type.is_float) {
        EXPECT_TRUE(std::isnan(load_float(type.dtype, element))) << type.name;
      } else {
        EXPECT_NE(load_integer(type.dtype, element), 0) << type.name;
      }
    }
  }
}

}  // namespace
}  // namespace tilewire::numeric
