// The elementary functions against libm in FP64 and against MPFR, on machines with and without fused
// arithmetic. Errors are in units of the last place of the exact result.
#include "target/cpu/math.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include "cpu_jit_harness.h"
#include "numeric/numeric.h"
#include "target/cpu/convert.h"

namespace tilewire::target::cpu {
namespace {

using ir::DType;
using Map = void(const void*, void*, int64_t);
using Emit = llvm::Value* (*)(llvm::IRBuilderBase&, const Machine&, llvm::Value*);

void mpfr_sigmoid(mpfr_t y, const mpfr_t x, mpfr_rnd_t mode) {
  mpfr_neg(y, x, mode);
  mpfr_exp(y, y, mode);
  mpfr_add_ui(y, y, 1, mode);
  mpfr_ui_div(y, 1, y, mode);
}

struct Function {
  const char* name;
  Emit emit;
  double (*reference)(double);
  std::function<void(mpfr_t, const mpfr_t, mpfr_rnd_t)> exact;
  double bound;  // ulp
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {"exp", emit_exp, std::exp, mpfr_exp, 2},
      {"log", emit_log, std::log, mpfr_log, 2},
      {"tanh", emit_tanh, std::tanh, mpfr_tanh, 2},
      {"sigmoid", emit_sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, mpfr_sigmoid, 2},
      {"sin", emit_sin, std::sin, mpfr_sin, 2},
      {"cos", emit_cos, std::cos, mpfr_cos, 2},
      {"sqrt", emit_sqrt, std::sqrt, mpfr_sqrt, 0.5},
      {"rsqrt", emit_rsqrt, [](double x) { return 1 / std::sqrt(x); },
       [](mpfr_t y, const mpfr_t x, mpfr_rnd_t m) { mpfr_sqrt(y, x, m), mpfr_ui_div(y, 1, y, m); }, 2},
      {"recip", emit_recip, [](double x) { return 1 / x; },
       [](mpfr_t y, const mpfr_t x, mpfr_rnd_t m) { mpfr_ui_div(y, 1, x, m); }, 0.5},
  };
  return all;
}

// How far `got` is from the exact result; infinity counts as the power of two after the largest float.
double ulps(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(exact)) return got == exact ? 0 : INFINITY;
  if (exact == 0) return got == 0 && std::signbit(got) == std::signbit(exact) ? 0 : INFINITY;
  int exponent = std::max(std::ilogb(exact), -126);
  if (exponent >= 128) return std::isinf(got) && std::signbit(got) == std::signbit(exact) ? 0 : INFINITY;
  double value = std::isinf(got) ? std::copysign(0x1p128, got) : got;
  return std::fabs(value - exact) / std::ldexp(1, exponent - 23);
}

struct Worst {
  double error = 0;
  float at = 0, got = 0;
  void see(float x, float y, double exact) {
    double e = ulps(y, exact);
    if (!(e <= error)) error = e, at = x, got = y;
  }
};

void define_all(Jit& jit, unsigned lanes) {
  for (const Function& f : functions()) {
    jit.define_map(f.name, llvm::Type::getFloatTy(jit.context()), lanes,
                   [&](auto& b, llvm::Value* x) { return f.emit(b, jit.machine(), x); });
  }
}

void expect_close(const Function& f, const Worst& worst) {
  EXPECT_LE(worst.error, f.bound + 1e-6) << f.name << "(" << worst.at << ") gave " << worst.got;
}

// A stride through all bit patterns, and the neighbourhood of each power of two and of each border of a
// function's range.
std::vector<float> samples(uint32_t stride) {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < 1ull << 32; bits += stride)
    x.push_back(std::bit_cast<float>(uint32_t(bits)));
  auto around = [&](double centre) {
    uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(centre));
    for (int i = -40; i <= 40; ++i) x.push_back(std::bit_cast<float>(bits + i));
  };
  for (int exponent = -149; exponent <= 127; ++exponent) {
    for (double sign : {1.0, -1.0}) {
      for (double mantissa : {1.0, 1.41421356, 1.5}) around(sign * std::ldexp(mantissa, exponent));
    }
  }
  for (double border :
       {88.722839, -87.336544, -103.972084, -104.0, 89.0, 9.01, 10.0, 0.34657359, 1.0397208}) {
    around(border), around(-border), around(border / 2), around(-border / 2);
  }
  for (int n = 1; n < 2000; ++n) around(n * M_PI / 4);
  for (float special : {0.0f, -0.0f, INFINITY, -INFINITY, NAN, -NAN}) x.push_back(special);
  while (x.size() % 16) x.push_back(1);
  return x;
}

class Math : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Machines, Math, testing::Values("", "haswell", "x86-64", "neoverse-n1"),
                         [](const auto& info) {
                           std::string name = *info.param ? info.param : "host";
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

TEST_P(Math, IsWithinTwoUlp) {
  if (!runs_here(GetParam())) GTEST_SKIP();
  Jit jit(GetParam());
  define_all(jit, 16);
  jit.compile();
  std::vector<float> x = samples(2039), y(x.size());
  for (const Function& f : functions()) {
    jit.address<Map>(f.name)(x.data(), y.data(), static_cast<int64_t>(x.size()));
    Worst worst;
    for (size_t i = 0; i < x.size(); ++i) worst.see(x[i], y[i], f.reference(x[i]));
    expect_close(f, worst);
    RecordProperty(f.name, std::to_string(worst.error));
  }
}

TEST_P(Math, AgreesWithMPFR) {
  if (!runs_here(GetParam())) GTEST_SKIP();
  Jit jit(GetParam());
  define_all(jit, 16);
  jit.compile();
  std::vector<float> x = samples(1000003), y(x.size());
  mpfr_t in, out;
  mpfr_inits2(120, in, out, nullptr);
  for (const Function& f : functions()) {
    jit.address<Map>(f.name)(x.data(), y.data(), static_cast<int64_t>(x.size()));
    Worst worst;
    for (size_t i = 0; i < x.size(); ++i) {
      mpfr_set_flt(in, x[i], MPFR_RNDN);
      f.exact(out, in, MPFR_RNDN);
      worst.see(x[i], y[i], mpfr_get_d(out, MPFR_RNDN));
    }
    expect_close(f, worst);
  }
  mpfr_clears(in, out, nullptr);
}

TEST_P(Math, GivesTheSameBitsForEveryWidth) {
  if (!runs_here(GetParam())) GTEST_SKIP();
  std::vector<float> x = samples(40009);
  x.resize(x.size() / 48 * 48);
  std::vector<std::vector<float>> expected;
  for (unsigned lanes : {0u, 4u, 8u, 16u, 3u}) {
    Jit jit(GetParam());
    define_all(jit, lanes);
    jit.compile();
    for (size_t k = 0; k < functions().size(); ++k) {
      std::vector<float> y(x.size());
      jit.address<Map>(functions()[k].name)(x.data(), y.data(), static_cast<int64_t>(x.size()));
      if (!lanes) expected.push_back(y);
      for (size_t i = 0; i < x.size(); ++i) {
        bool same = std::isnan(y[i])
                        ? std::isnan(expected[k][i])
                        : std::bit_cast<uint32_t>(y[i]) == std::bit_cast<uint32_t>(expected[k][i]);
        ASSERT_TRUE(same) << functions()[k].name << "(" << x[i] << ") with " << lanes << " lanes";
      }
    }
  }
}

// All values of the 16-bit types: 2 ulp of FP32 leave the rounded result at most one step from the exact one,
// and nearly always on it.
TEST_P(Math, RoundsAllSmallFloats) {
  if (!runs_here(GetParam())) GTEST_SKIP();
  std::vector<uint16_t> in(65536), out(65536);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint16_t>(i);
  for (DType dtype : {DType::FP16, DType::BF16}) {
    Jit jit(GetParam());
    for (const Function& f : functions()) {
      jit.define_map(f.name, llvm::Type::getInt16Ty(jit.context()), 16, [&](auto& b, llvm::Value* x) {
        llvm::Value* y = f.emit(b, jit.machine(), from_storage(b, jit.machine(), dtype, x));
        return to_storage(b, jit.machine(), dtype, round_to(b, jit.machine(), dtype, y));
      });
    }
    jit.compile();
    for (const Function& f : functions()) {
      jit.address<Map>(f.name)(in.data(), out.data(), 65536);
      int off = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        double exact = f.reference(numeric::decode(dtype, in[i]));
        uint32_t expected = numeric::encode(dtype, exact);
        if (std::isnan(exact)) {
          ASSERT_TRUE(std::isnan(numeric::decode(dtype, out[i]))) << f.name << " of " << in[i];
        } else if (out[i] != expected) {
          ASSERT_LE(std::abs(static_cast<int>(out[i]) - static_cast<int>(expected)), 1) << f.name << in[i];
          ++off;
        }
      }
      EXPECT_LE(off, 60) << f.name << " of " << ir::info(dtype).name;
    }
  }
}

// Only sin and cos have a path that leaves.
TEST_P(Math, CallsNoLibrary) {
  Jit jit(GetParam());
  for (const Function& f : functions()) {
    if (f.emit == emit_sin || f.emit == emit_cos) continue;
    jit.define_map(f.name, llvm::Type::getFloatTy(jit.context()), 8,
                   [&](auto& b, llvm::Value* x) { return f.emit(b, jit.machine(), x); });
  }
  EXPECT_FALSE(jit.has_outside_symbols());
}

TEST_P(Math, RemainderIsExact) {
  if (!runs_here(GetParam())) GTEST_SKIP();
  Jit jit(GetParam());
  auto* pointer = llvm::PointerType::getUnqual(jit.context());
  jit.define("rem", {pointer, pointer, pointer}, [&](auto& b, llvm::Function& f) {
    auto* type = llvm::FixedVectorType::get(b.getFloatTy(), 8);
    auto load = [&](int i) { return b.CreateAlignedLoad(type, f.getArg(i), llvm::Align(4)); };
    b.CreateAlignedStore(emit_rem(b, jit.machine(), load(0), load(1)), f.getArg(2), llvm::Align(4));
  });
  jit.compile();
  auto* rem = jit.address<void(const float*, const float*, float*)>("rem");
  std::mt19937 random(11);
  const float special[] = {0.0f, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, FLT_MIN, 1e-45f, FLT_MAX, 3, 0.1f};
  for (int round = 0; round < 200000; ++round) {
    float a[8], b[8], c[8];
    for (int i = 0; i < 8; ++i) {
      a[i] = std::bit_cast<float>(uint32_t(random()));
      switch (random() % 4) {
        case 0:
          b[i] = std::bit_cast<float>(uint32_t(random()));
          break;
        case 1:  // quotients near integers
          b[i] = a[i] / static_cast<float>(1 + random() % (1 << (random() % 23)));
          break;
        case 2:
          b[i] = std::ldexp(a[i], -static_cast<int>(random() % 25)) * 1.37f;
          break;
        default:
          a[i] = special[random() % std::size(special)], b[i] = special[random() % std::size(special)];
      }
    }
    rem(a, b, c);
    for (int i = 0; i < 8; ++i) {
      float expected = std::fmod(a[i], b[i]);
      bool same = std::isnan(expected) ? std::isnan(c[i])
                                       : std::bit_cast<uint32_t>(expected) == std::bit_cast<uint32_t>(c[i]);
      ASSERT_TRUE(same) << a[i] << " rem " << b[i] << " gave " << c[i] << ", expected " << expected;
    }
  }
}

// Minutes; run with --gtest_also_run_disabled_tests.
TEST_P(Math, DISABLED_IsWithinTwoUlpForAllInputs) {
  if (!runs_here(GetParam())) GTEST_SKIP();
  Jit jit(GetParam());
  define_all(jit, 16);
  jit.compile();
  std::vector<float> x(1 << 16), y(x.size());
  for (const Function& f : functions()) {
    Worst worst;
    for (uint64_t block = 0; block < 1ull << 32; block += x.size()) {
      for (size_t i = 0; i < x.size(); ++i) x[i] = std::bit_cast<float>(uint32_t(block + i));
      jit.address<Map>(f.name)(x.data(), y.data(), static_cast<int64_t>(x.size()));
      for (size_t i = 0; i < x.size(); ++i) worst.see(x[i], y[i], f.reference(x[i]));
    }
    expect_close(f, worst);
    std::printf("%-8s %.4f ulp at %.9g\n", f.name, worst.error, worst.at);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace tilewire::target::cpu
