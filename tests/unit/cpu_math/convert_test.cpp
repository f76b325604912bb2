// Every cast between element types, on several machines and widths, against tilewire::numeric.
#include "target/cpu/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "cpu_jit_harness.h"
#include "numeric/numeric.h"

namespace tilewire::target::cpu {
namespace {

using ir::DType;
using ir::RoundMode;
using Bytes = std::vector<uint8_t>;
using Map = void(const void*, void*, int64_t);

const char* const machines[] = {"", "haswell", "x86-64", "neoverse-n1"};

std::vector<DType> numbers() {
  std::vector<DType> all;
  for (const auto& info : ir::all_dtypes()) {
    if (info.dtype != DType::TaskId) all.push_back(info.dtype);
  }
  return all;
}

template <class T>
void put(Bytes& bytes, T value) {
  bytes.resize(bytes.size() + sizeof(T));
  std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
}

// FP32 values where rounding decides: around every value of the small formats, midpoints between them, and a
// stride through all bit patterns.
Bytes float_samples() {
  Bytes bytes;
  auto around = [&](double value) {
    uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
    for (uint32_t near : {bits - 1, bits, bits + 1}) put(bytes, near);
  };
  for (DType dtype : {DType::FP16, DType::BF16, DType::FP8E4M3FN, DType::FP8E5M2}) {
    for (uint32_t code = 0; code < 1u << ir::bits(dtype); ++code) {
      float value = numeric::decode(dtype, code);
      float next = numeric::decode(dtype, code + 1);
      put(bytes, value);
      if (std::isfinite(value) && std::isfinite(next)) around((double(value) + next) / 2);
    }
  }
  for (int power = -10; power < 66; ++power) {
    for (double sign : {1.0, -1.0}) {
      for (double offset : {0.0, 0.5, 1.0, 1.5, 0.49999997, 2.5})
        around(sign * (std::ldexp(1, power) + offset));
      around(sign * (std::ldexp(1, power) - 0.5));
    }
  }
  for (uint64_t bits = 0; bits < 1ull << 32; bits += 16381) put(bytes, static_cast<uint32_t>(bits));
  return bytes;
}

template <class T>
Bytes integer_samples() {
  Bytes bytes;
  std::mt19937_64 random(7);
  for (int bit = 0; bit < static_cast<int>(8 * sizeof(T)); ++bit) {
    T power = static_cast<T>(uint64_t{1} << bit);
    for (int i = -3; i <= 3; ++i) {
      put(bytes, static_cast<T>(power + i));
      put(bytes, static_cast<T>(-power + i));
      if (bit > 9) put(bytes, static_cast<T>(power + (power >> 8) + i));    // halfway for BF16
      if (bit > 25) put(bytes, static_cast<T>(power + (power >> 24) + i));  // and for FP32
      if (bit > 25) put(bytes, static_cast<T>(power + 3 * (power >> 24) + i));
    }
  }
  for (int i = 0; i < 20000; ++i) put(bytes, static_cast<T>(random() >> (random() % 64)));
  return bytes;
}

Bytes samples(DType dtype) {
  Bytes bytes;
  switch (dtype) {
    case DType::Bool:
      for (int i = 0; i < 2; ++i) put(bytes, static_cast<uint8_t>(i));
      break;
    case DType::Int4:
      for (int i = -8; i < 8; ++i) put(bytes, static_cast<int8_t>(i));
      break;
    case DType::FP32:
      bytes = float_samples();
      break;
    default:
      switch (ir::bits(dtype)) {
        case 8:
          for (int i = 0; i < 256; ++i) put(bytes, static_cast<uint8_t>(i));
          break;
        case 16:
          for (int i = 0; i < 65536; ++i) put(bytes, static_cast<uint16_t>(i));
          break;
        case 32:
          bytes = integer_samples<uint32_t>();
          break;
        default:
          bytes = integer_samples<uint64_t>();
      }
  }
  while (bytes.size() / ir::bytes(dtype) % 80) bytes.insert(bytes.end(), ir::bytes(dtype), 0);
  return bytes;
}

bool legal(DType from, DType to, RoundMode mode) {
  bool narrower_float = ir::is_float(from) && ir::is_float(to) && ir::bits(to) < ir::bits(from);
  if (mode == RoundMode::Odd) return narrower_float;
  return mode == RoundMode::Rint || ir::is_float(from) || ir::is_float(to);
}

std::string name_of(DType to, RoundMode mode, unsigned lanes) {
  return std::string(ir::info(to).name) + "." + std::to_string(static_cast<int>(mode)) + "." +
         std::to_string(lanes);
}

// Scalars, a power of two, and once in a while a length no register has.
std::vector<unsigned> widths(DType from, DType to, RoundMode mode) {
  if (mode != RoundMode::Rint) return {16};
  if (from == DType::FP32 || to == DType::FP32) return {0, 16, 5};
  return {0, 16};
}

template <class Visit>
void each_cast(DType from, const Visit& visit) {
  for (DType to : numbers()) {
    for (int m = 0; m <= static_cast<int>(RoundMode::Odd); ++m) {
      auto mode = static_cast<RoundMode>(m);
      if (!legal(from, to, mode)) continue;
      for (unsigned lanes : widths(from, to, mode)) visit(to, mode, lanes);
    }
  }
}

void define_casts(Jit& jit, DType from) {
  each_cast(from, [&](DType to, RoundMode mode, unsigned lanes) {
    jit.define_map(name_of(to, mode, lanes), storage_type(jit.context(), from, 0), lanes,
                   [&](llvm::IRBuilder<>& b, llvm::Value* stored) {
                     llvm::Value* value = from_storage(b, jit.machine(), from, stored);
                     value = cast(b, jit.machine(), value, from, to, mode);
                     return to_storage(b, jit.machine(), to, value);
                   });
  });
}

bool is_nan(DType dtype, const uint8_t* element) {
  return ir::is_float(dtype) && std::isnan(numeric::load_float(dtype, element));
}

// The elements that differ, NaNs being all alike.
int compare(DType from, const Bytes& in, DType to, const Bytes& expected, const Bytes& got,
            const std::string& what) {
  int wrong = 0;
  size_t size = ir::bytes(to);
  for (size_t i = 0; i * size < expected.size(); ++i) {
    const uint8_t* e = &expected[i * size];
    const uint8_t* g = &got[i * size];
    if (!std::memcmp(e, g, size) || (is_nan(to, e) && is_nan(to, g))) continue;
    if (++wrong > 3) continue;
    uint64_t x = 0, y = 0, z = 0;
    std::memcpy(&x, &in[i * ir::bytes(from)], ir::bytes(from));
    std::memcpy(&y, e, size);
    std::memcpy(&z, g, size);
    ADD_FAILURE() << ir::info(from).name << " to " << what << ": 0x" << std::hex << x << " gave 0x" << z
                  << ", expected 0x" << y;
  }
  return wrong;
}

class Convert : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Machines, Convert, testing::ValuesIn(machines), [](const auto& info) {
  std::string name = *info.param ? info.param : "host";
  for (char& c : name) c = std::isalnum(c) ? c : '_';
  return name;
});

TEST_P(Convert, EveryCastMatchesTheReference) {
  if (!runs_here(GetParam())) GTEST_SKIP();
  for (DType from : numbers()) {
    Jit jit(GetParam());
    define_casts(jit, from);
    jit.compile();
    Bytes in = samples(from);
    size_t count = in.size() / ir::bytes(from);
    each_cast(from, [&](DType to, RoundMode mode, unsigned lanes) {
      Bytes expected(count * ir::bytes(to)), got(count * ir::bytes(to));
      numeric::cast(from, in.data(), to, expected.data(), count, mode);
      jit.address<Map>(name_of(to, mode, lanes))(in.data(), got.data(), static_cast<int64_t>(count));
      compare(from, in, to, expected, got, name_of(to, mode, lanes));
    });
  }
}

TEST_P(Convert, NoCastCallsALibrary) {
  for (DType from : numbers()) {
    Jit jit(GetParam());
    define_casts(jit, from);
    EXPECT_FALSE(jit.has_outside_symbols()) << "from " << ir::info(from).name;
  }
}

// Small formats in FP32 registers: all 65,536 values survive, and rounding twice changes nothing.
TEST_P(Convert, StorageRoundTrips) {
  if (!runs_here(GetParam())) GTEST_SKIP();
  for (DType dtype : {DType::FP16, DType::BF16, DType::FP8E4M3FN, DType::FP8E5M2}) {
    Jit jit(GetParam());
    llvm::Type* stored = storage_type(jit.context(), dtype, 0);
    jit.define_map("trip", stored, 16, [&](auto& b, llvm::Value* x) {
      llvm::Value* value = from_storage(b, jit.machine(), dtype, x);
      return to_storage(b, jit.machine(), dtype, round_to(b, jit.machine(), dtype, value));
    });
    jit.compile();
    Bytes in = samples(dtype), out(in.size());
    jit.address<Map>("trip")(in.data(), out.data(), static_cast<int64_t>(in.size() / ir::bytes(dtype)));
    compare(dtype, in, dtype, in, out, "itself");
  }
}

// numeric and ir::round_to were written apart from each other.
TEST(ConvertReference, RoundToAgreesWithTheIR) {
  Jit jit;
  for (DType dtype : {DType::FP16, DType::BF16, DType::FP8E4M3FN, DType::FP8E5M2}) {
    jit.define_map(std::string(ir::info(dtype).name), llvm::Type::getFloatTy(jit.context()), 16,
                   [&](auto& b, llvm::Value* x) { return round_to(b, jit.machine(), dtype, x); });
  }
  jit.compile();
  Bytes in = float_samples();
  std::vector<float> x(in.size() / 4 / 16 * 16), y(x.size());
  std::memcpy(x.data(), in.data(), 4 * x.size());
  for (DType dtype : {DType::FP16, DType::BF16, DType::FP8E4M3FN, DType::FP8E5M2}) {
    jit.address<Map>(std::string(ir::info(dtype).name))(x.data(), y.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      double expected = ir::round_to(x[i], dtype);
      bool same = std::isnan(expected) ? std::isnan(y[i])
                                       : expected == y[i] && std::signbit(expected) == std::signbit(y[i]);
      ASSERT_TRUE(same) << ir::info(dtype).name << " of " << x[i] << " gave " << y[i];
    }
  }
}

}  // namespace
}  // namespace tilewire::target::cpu
