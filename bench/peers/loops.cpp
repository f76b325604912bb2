// The loops of the benchmark written by hand for the machine they are compiled on: g++ -O3 -march=native.
//
// GCC's vector extension stands for the registers, so one text serves AVX2, AVX-512 and NEON. Nothing is
// parallel: a caller that wants threads splits the rows.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

#ifdef __AVX512F__
constexpr size_t width = 16;
#elif defined(__AVX__)
constexpr size_t width = 8;
#else
constexpr size_t width = 4;
#endif
using Floats = float __attribute__((vector_size(width * 4)));
using Ints = int32_t __attribute__((vector_size(width * 4)));

Floats load(const float* from) {
  Floats v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

void store(float* to, Floats v) {
  std::memcpy(to, &v, sizeof v);
}

Floats all(float value) {
  return Floats{} + value;
}

// What add_lanes and max_lanes fold to is a tree of shuffles.
float add_lanes(Floats v) {
  float sum = 0;
  for (size_t i = 0; i < width; ++i) sum += v[i];
  return sum;
}

float max_lanes(Floats v) {
  float best = v[0];
  for (size_t i = 1; i < width; ++i) best = v[i] > best ? v[i] : best;
  return best;
}

Floats larger(Floats a, Floats b) {
  return a > b ? a : b;
}

// Within 2 last places for x <= 0, which is all that softmax needs; 0 below -87.
Floats exp(Floats x) {
  Floats low = all(-87.0f);
  Ints tiny = x < low;
  x = larger(x, low);
  Floats k = x * 1.44269504f + 12582912.0f;  // rounds to a whole number, kept in the low bits
  Ints bits = reinterpret_cast<Ints>(k) << 23;
  k -= 12582912.0f;
  Floats r = x - k * 0.693359375f;
  r -= k * -2.12194440e-4f;
  Floats p = all(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  Floats y = reinterpret_cast<Floats>(reinterpret_cast<Ints>(p) + bits);
  return tiny ? Floats{} : y;
}

}  // namespace

extern "C" {

// Columns are a multiple of four registers in all of these.

void peer_softmax(const float* x, float* y, size_t rows, size_t cols) {
  for (size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    Floats best[4];
    for (size_t j = 0; j < 4; ++j) best[j] = load(x + j * width);
    for (size_t c = 4 * width; c < cols; c += 4 * width) {
      for (size_t j = 0; j < 4; ++j) best[j] = larger(best[j], load(x + c + j * width));
    }
    Floats peak = all(max_lanes(larger(larger(best[0], best[1]), larger(best[2], best[3]))));
    Floats sum[4] = {};
    for (size_t c = 0; c < cols; c += 4 * width) {
      for (size_t j = 0; j < 4; ++j) {
        Floats e = exp(load(x + c + j * width) - peak);
        sum[j] += e;
        store(y + c + j * width, e);
      }
    }
    Floats scale = all(1.0f / add_lanes((sum[0] + sum[1]) + (sum[2] + sum[3])));
    for (size_t c = 0; c < cols; c += width) store(y + c, load(y + c) * scale);
  }
}

void peer_layernorm(const float* x, const float* gamma, const float* beta, float* y, size_t rows, size_t cols,
                    float epsilon) {
  for (size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    Floats sum[4] = {};
    for (size_t c = 0; c < cols; c += 4 * width) {
      for (size_t j = 0; j < 4; ++j) sum[j] += load(x + c + j * width);
    }
    Floats mean = all(add_lanes((sum[0] + sum[1]) + (sum[2] + sum[3])) / static_cast<float>(cols));
    Floats square[4] = {};
    for (size_t c = 0; c < cols; c += 4 * width) {
      for (size_t j = 0; j < 4; ++j) {
        Floats d = load(x + c + j * width) - mean;
        square[j] += d * d;
      }
    }
    float variance = add_lanes((square[0] + square[1]) + (square[2] + square[3])) / static_cast<float>(cols);
    Floats scale = all(1.0f / std::sqrt(variance + epsilon));
    for (size_t c = 0; c < cols; c += width) {
      store(y + c, (load(x + c) - mean) * scale * load(gamma + c) + load(beta + c));
    }
  }
}

void peer_multiply_add(const float* a, const float* b, const float* c, float* y, size_t n) {
  size_t i = 0;
  for (; i + 4 * width <= n; i += 4 * width) {
    for (size_t j = 0; j < 4; ++j) {
      size_t at = i + j * width;
      store(y + at, load(a + at) * load(b + at) + load(c + at));
    }
  }
  for (; i < n; ++i) y[i] = a[i] * b[i] + c[i];
}

// Adds `rounds` times 16 products a lane in registers, enough in flight to hide the latency; the number of
// floating-point operations is what it returns. `keep` makes the result count.
double peer_fma_peak(size_t rounds, float* keep) {
  Floats sums[16];
  for (size_t j = 0; j < 16; ++j) sums[j] = all(static_cast<float>(j));  // equal ones would become one
  Floats factor = all(keep[0]), other = all(keep[1]);
  for (size_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 16
    for (Floats& sum : sums) sum = sum * factor + other;
  }
  Floats total{};
  for (const Floats& sum : sums) total += sum;
  keep[2] = add_lanes(total);
  return static_cast<double>(rounds) * 16 * width * 2;
}

}  // extern "C"
