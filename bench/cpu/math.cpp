// Elementary functions of the cpu target beside the vector functions of the C library (libmvec) and a plain
// loop over its scalar ones.
//
//     build/release/bench/cpu_math
//
// Nanoseconds per FP32 element by the thread's own time, medians of interleaved repetitions, operands in the
// first-level cache. `copy` is the same loop without a function: the floor.
#include "target/cpu/math.h"

#include <dlfcn.h>
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "cpu_jit_harness.h"
#include "target/cpu/convert.h"

namespace {

using namespace tilewire::target::cpu;
using tilewire::ir::DType;
using Map = void(const void*, void*, int64_t);
using Emit = std::function<llvm::Value*(llvm::IRBuilderBase&, const Machine&, llvm::Value*)>;

constexpr int64_t count = 2048;

struct Function {
  const char* name;
  Emit emit;
  float (*scalar)(float);
  float low, high;  // of the arguments
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {"copy", [](auto&, auto&, auto* x) { return x; }, nullptr, -1, 1},
      {"exp", emit_exp, std::exp, -80, 80},
      {"log", emit_log, std::log, 1e-30f, 1e30f},
      {"tanh", emit_tanh, std::tanh, -5, 5},
      {"sigmoid", emit_sigmoid, [](float x) { return 1 / (1 + std::exp(-x)); }, -10, 10},
      {"sin", emit_sin, std::sin, -100, 100},
      {"cos", emit_cos, std::cos, -100, 100},
      {"sqrt", emit_sqrt, std::sqrt, 0, 1e10f},
      {"rsqrt", emit_rsqrt, [](float x) { return 1 / std::sqrt(x); }, 1e-3f, 1e10f},
      {"recip", emit_recip, [](float x) { return 1 / x; }, 1e-3f, 1e10f},
      {"to FP16 and back", [](auto& b, auto& m, auto* x) { return round_to(b, m, DType::FP16, x); }, nullptr,
       -9, 9},
      {"to BF16 and back", [](auto& b, auto& m, auto* x) { return round_to(b, m, DType::BF16, x); }, nullptr,
       -9, 9},
      {"to E4M3FN and back", [](auto& b, auto& m, auto* x) { return round_to(b, m, DType::FP8E4M3FN, x); },
       nullptr, -9, 9},
  };
  return all;
}

double seconds(const std::function<void()>& work) {
  auto now = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  double begin = now();
  work();
  return now() - begin;
}

double nanoseconds(const std::function<void()>& work) {
  constexpr int repeat = 500;
  return 1e9 / repeat / count * seconds([&] {
           for (int i = 0; i < repeat; ++i) work();
         });
}

#ifdef __x86_64__
// The library's function for 16 lanes, where it and the processor have one.
using Vector16 = __m512 (*)(__m512);
__attribute__((target("avx512f"))) void map16(Vector16 f, const float* in, float* out) {
  for (int64_t i = 0; i < count; i += 16) _mm512_storeu_ps(out + i, f(_mm512_loadu_ps(in + i)));
}
std::function<void()> library(void* handle, const char* name, const Machine& machine, const float* in,
                              float* out) {
  if (!handle || !machine.avx512f) return nullptr;
  void* f = dlsym(handle, ("_ZGVeN16v_" + std::string(name) + "f").c_str());
  if (!f) return nullptr;
  return [=] { map16(reinterpret_cast<Vector16>(f), in, out); };
}
#else
std::function<void()> library(void*, const char*, const Machine&, const float*, float*) {
  return nullptr;
}
#endif

}  // namespace

int main() {
  Jit jit;
  const Machine machine = jit.machine();
  for (const Function& f : functions()) {
    jit.define_map(f.name, llvm::Type::getFloatTy(jit.context()), machine.float_lanes(),
                   [&](auto& b, llvm::Value* x) { return f.emit(b, machine, x); });
  }
  jit.compile();
  void* mvec = dlopen("libmvec.so.1", RTLD_NOW);
  std::vector<float> in(count), out(count);
  std::printf("%-20s %10s %10s %8s %10s\n", "ns per element", "ours", "libmvec", "ratio", "scalar");
  for (const Function& f : functions()) {
    for (int64_t i = 0; i < count; ++i) {
      in[i] = f.low + (f.high - f.low) * static_cast<float>((i * 7919) % count) / count;
    }
    Map* map = jit.address<Map>(f.name);
    std::function<void()> ours = [&] { map(in.data(), out.data(), count); };
    std::function<void()> vector = library(mvec, f.name, machine, in.data(), out.data());
    std::function<void()> scalar;
    if (f.scalar) {
      scalar = [&] {
        for (int64_t i = 0; i < count; ++i) out[i] = f.scalar(in[i]);
      };
    }
    std::vector<double> x, y, z;
    for (int i = 0; i < 15; ++i) {
      x.push_back(nanoseconds(ours));
      if (vector) y.push_back(nanoseconds(vector));
      if (scalar) z.push_back(nanoseconds(scalar));
    }
    auto median = [](std::vector<double>& v) {
      std::sort(v.begin(), v.end());
      return v[v.size() / 2];
    };
    double mine = median(x);
    std::printf("%-20s %10.3f", f.name, mine);
    double peer = vector ? median(y) : 0;
    if (vector) std::printf(" %10.3f %8.2f", peer, mine / peer);
    if (!vector) std::printf(" %10s %8s", "", "");
    if (scalar) std::printf(" %10.3f", median(z));
    std::printf("\n");
  }
  std::printf("%-20s %10.1f ms\n", "compiling them all", jit.compile_milliseconds());
}
