// Matrix products of the cpu target beside the multiply-add peak of this core and, where libopenblas.so.0 can
// be loaded, OpenBLAS on one thread.
//
//     build/release/bench/cpu_matmul [TEXT]
//
// TEXT: only the lines that contain it. // GFLOP/s (multiplications and additions) by the thread's own time,
// medians of interleaved repetitions. `tiles` is a 1024^3 product written as a loop over tiles of C with all
// of k, as a program in the language has it.
#include "target/cpu/matmul.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "cpu_jit_harness.h"
#include "target/cpu/vector.h"

namespace {

using namespace tilewire::target::cpu;
using tilewire::ir::DType;
using Product = void(int64_t m, int64_t n, int64_t k, const void* a, int64_t lda, const void* b, int64_t ldb,
                     void* c, int64_t ldc, void* scratch);
using Sgemm = void(int order, int ta, int tb, int m, int n, int k, float alpha, const float* a, int lda,
                   const float* b, int ldb, float beta, float* c, int ldc);

// Of this thread: other work on the machine does not count.
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

std::string name_of(DType dtype, bool ta, bool tb) {
  return std::string(tilewire::ir::info(dtype).name) + (ta ? "T" : "N") + (tb ? "T" : "N");
}

void define(Jit& jit, DType dtype, bool ta, bool tb) {
  llvm::IRBuilder<> t(jit.context());
  llvm::Type *w = t.getInt64Ty(), *p = t.getPtrTy();
  jit.define(name_of(dtype, ta, tb), {w, w, w, p, w, p, w, p, w, p}, [&](auto& b, llvm::Function& f) {
    emit_matmul(b, jit.machine(),
                {dtype, ta, tb, true, f.getArg(0), f.getArg(1), f.getArg(2), f.getArg(3), f.getArg(5),
                 f.getArg(7), f.getArg(4), f.getArg(6), f.getArg(8), f.getArg(9)});
  });
}

// A dense cube whose size is a constant of the code.
std::string cube_name(int64_t size) {
  return "cube" + std::to_string(size);
}
void define_cube(Jit& jit, int64_t size) {
  llvm::IRBuilder<> t(jit.context());
  llvm::Type *w = t.getInt64Ty(), *p = t.getPtrTy();
  jit.define(cube_name(size), {w, w, w, p, w, p, w, p, w, p}, [&](auto& b, llvm::Function& f) {
    llvm::Value* n = b.getInt64(size);
    emit_matmul(b, jit.machine(),
                {DType::FP32, false, false, true, n, n, n, f.getArg(3), f.getArg(5), f.getArg(7), n, n, n,
                 f.getArg(9)});
  });
}

// Chains of multiply-adds in registers: void peak(ptr out, i64 n), 2 * chains * lanes operations a round.
constexpr int chains = 12;
void define_peak(Jit& jit) {
  llvm::IRBuilder<> t(jit.context());
  jit.define("peak", {t.getPtrTy(), t.getInt64Ty()}, [&](llvm::IRBuilder<>& b, llvm::Function& f) {
    auto* type = llvm::FixedVectorType::get(b.getFloatTy(), jit.machine().float_lanes());
    auto* entry = b.GetInsertBlock();
    auto* loop = llvm::BasicBlock::Create(b.getContext(), "loop", &f);
    auto* done = llvm::BasicBlock::Create(b.getContext(), "done", &f);
    llvm::Value* x = b.CreateAlignedLoad(type, f.getArg(0), llvm::Align(4));
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    auto* left = b.CreatePHI(b.getInt64Ty(), 2);
    left->addIncoming(f.getArg(1), entry);
    std::vector<llvm::PHINode*> sums(chains);
    for (auto*& sum : sums) sum = b.CreatePHI(type, 2), sum->addIncoming(x, entry);
    std::vector<llvm::Value*> last;
    for (auto* sum : sums) last.push_back(Lanes(b, jit.machine(), type).mul_add(sum, x, x));
    for (int i = 0; i < chains; ++i) sums[i]->addIncoming(last[i], loop);
    llvm::Value* next = b.CreateSub(left, b.getInt64(1));
    left->addIncoming(next, loop);
    b.CreateCondBr(b.CreateICmpNE(next, b.getInt64(0)), loop, done);
    b.SetInsertPoint(done);
    llvm::Value* total = last[0];
    for (int i = 1; i < chains; ++i) total = b.CreateFAdd(total, last[i]);
    b.CreateAlignedStore(total, f.getArg(0), llvm::Align(4));
  });
}

struct Bench {
  Jit jit;
  std::vector<char> a, b, c, scratch;
  Sgemm* sgemm = nullptr;
  std::string filter;

  Bench() : a(1 << 24), b(1 << 24), c(1 << 24) {
    if (void* library = dlopen("libopenblas.so.0", RTLD_NOW)) {
      if (auto* threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads")))
        threads(1);
      sgemm = reinterpret_cast<Sgemm*>(dlsym(library, "cblas_sgemm"));
    }
    size_t bytes = 0;
    for (DType dtype : {DType::FP32, DType::FP16, DType::BF16, DType::Int8}) {
      bytes = std::max<size_t>(bytes, matmul_scratch_bytes(jit.machine(), dtype, {}, {}, {}));
    }
    scratch.resize(bytes + 64);
  }
  void* room() {
    return reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) & ~63ull);
  }

  double peak() {
    alignas(64) float x[64] = {};
    constexpr int64_t rounds = 100000;
    auto* chain = jit.address<void(void*, int64_t)>("peak");
    double t = seconds([&] { chain(x, rounds); });
    return 2.0 * chains * jit.machine().float_lanes() * rounds / t / 1e9;
  }

  static double rate(double operations, const std::function<void()>& work) {
    int repeat = std::max(1, static_cast<int>(4e7 / operations));
    return operations * repeat / seconds([&] {
             for (int i = 0; i < repeat; ++i) work();
           }) /
           1e9;
  }

  void line(const char* label, double operations, const std::function<void()>& ours,
            const std::function<void()>& theirs) {
    if (std::string(label).find(filter) == std::string::npos) return;
    std::vector<double> x, y, p;
    ours();
    if (theirs) theirs();
    for (int i = 0; i < 9; ++i) {
      p.push_back(peak());
      x.push_back(rate(operations, ours));
      if (theirs) y.push_back(rate(operations, theirs));
    }
    auto median = [](std::vector<double>& v) {
      std::sort(v.begin(), v.end());
      return v.empty() ? 0 : v[v.size() / 2];
    };
    double mine = median(x), peer = median(y), top = median(p);
    std::printf("%-30s %8.1f %8.1f %6.0f %%", label, mine, top, 100 * mine / top);
    if (theirs) std::printf(" %8.1f %6.2f", peer, mine / peer);
    std::printf("\n");
    std::fflush(stdout);
  }

  void product(const char* label, DType dtype, bool ta, bool tb, int64_t m, int64_t n, int64_t k, int64_t lda,
               int64_t ldb, int64_t ldc, bool cube = false) {
    auto* f = jit.address<Product>(cube ? cube_name(m) : name_of(dtype, ta, tb));
    std::function<void()> theirs;
    if (sgemm && dtype == DType::FP32) {
      theirs = [=, this] {
        sgemm(101, ta ? 112 : 111, tb ? 112 : 111, static_cast<int>(m), static_cast<int>(n),
              static_cast<int>(k), 1, reinterpret_cast<float*>(a.data()), static_cast<int>(lda),
              reinterpret_cast<float*>(b.data()), static_cast<int>(ldb), 1,
              reinterpret_cast<float*>(c.data()), static_cast<int>(ldc));
      };
    }
    line(
        label, 2.0 * static_cast<double>(m * n * k),
        [=, this] { f(m, n, k, a.data(), lda, b.data(), ldb, c.data(), ldc, room()); }, theirs);
  }

  void tiles(const char* label, int64_t tile_m, int64_t tile_n) {
    constexpr int64_t size = 1024;
    auto* f = jit.address<Product>(name_of(DType::FP32, false, false));
    auto* x = reinterpret_cast<float*>(a.data());
    auto* y = reinterpret_cast<float*>(b.data());
    auto* z = reinterpret_cast<float*>(c.data());
    std::function<void()> theirs;
    if (sgemm)
      theirs = [=, this] { sgemm(101, 111, 111, size, size, size, 1, x, size, y, size, 1, z, size); };
    line(
        label, 2.0 * size * size * size,
        [=, this] {
          for (int64_t i = 0; i < size; i += tile_m) {
            for (int64_t j = 0; j < size; j += tile_n) {
              f(tile_m, tile_n, size, x + i * size, size, y + j, size, z + i * size + j, size, room());
            }
          }
        },
        theirs);
  }
};

void compile_times() {
  Jit cube;
  define_cube(cube, 64);
  cube.compile();
  std::printf("%-30s %8.1f ms\n", "compiling FP32 64 constant", cube.compile_milliseconds());
  for (DType dtype : {DType::FP32, DType::FP16, DType::BF16, DType::Int8}) {
    Jit one, all;
    define(one, dtype, false, false);
    one.compile();
    for (int bits = 0; bits < 4; ++bits) define(all, dtype, bits & 1, bits & 2);
    all.compile();
    std::printf("%-30s %8.1f ms, with all transpositions %.1f ms\n",
                ("compiling " + std::string(tilewire::ir::info(dtype).name)).c_str(),
                one.compile_milliseconds(), all.compile_milliseconds());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Bench x;
  if (argc > 1) x.filter = argv[1];
  define_peak(x.jit);
  for (DType dtype : {DType::FP32, DType::FP16, DType::BF16, DType::Int8}) {
    for (int bits = 0; bits < 4; ++bits) define(x.jit, dtype, bits & 1, bits & 2);
  }
  for (int64_t size : {16, 32, 64}) define_cube(x.jit, size);
  x.jit.compile();
  std::printf("%-30s %8s %8s %8s %8s %6s\n", "", "ours", "peak", "", "openblas", "ratio");
  x.product("FP32 16x16x16", DType::FP32, false, false, 16, 16, 16, 16, 16, 16);
  x.product("FP32 32x32x32", DType::FP32, false, false, 32, 32, 32, 32, 32, 32);
  x.product("FP32 64x64x64", DType::FP32, false, false, 64, 64, 64, 64, 64, 64);
  x.product("FP32 16 constant", DType::FP32, false, false, 16, 16, 16, 16, 16, 16, true);
  x.product("FP32 32 constant", DType::FP32, false, false, 32, 32, 32, 32, 32, 32, true);
  x.product("FP32 64 constant", DType::FP32, false, false, 64, 64, 64, 64, 64, 64, true);
  x.product("FP32 128x128x128", DType::FP32, false, false, 128, 128, 128, 128, 128, 128);
  x.product("FP32 60x60x60", DType::FP32, false, false, 60, 60, 60, 60, 60, 60);
  x.product("FP32 33x47x50", DType::FP32, false, false, 33, 47, 50, 50, 47, 47);
  x.product("FP32 1x1024x1024", DType::FP32, false, false, 1, 1024, 1024, 1024, 1024, 1024);
  x.product("FP32 64x64x64 of 1024", DType::FP32, false, false, 64, 64, 64, 1024, 1024, 1024);
  x.product("FP32 64x64x1024 of 1024", DType::FP32, false, false, 64, 64, 1024, 1024, 1024, 1024);
  x.product("FP32 64x64x64 A^T", DType::FP32, true, false, 64, 64, 64, 64, 64, 64);
  x.product("FP32 64x64x64 B^T", DType::FP32, false, true, 64, 64, 64, 64, 64, 64);
  x.product("FP32 1024x1024x1024", DType::FP32, false, false, 1024, 1024, 1024, 1024, 1024, 1024);
  x.product("FP32 1000x1000x1000", DType::FP32, false, false, 1000, 1000, 1000, 1000, 1000, 1000);
  x.product("FP32 1024^3 B^T", DType::FP32, false, true, 1024, 1024, 1024, 1024, 1024, 1024);
  x.tiles("FP32 1024^3 tiles 64x64", 64, 64);
  x.tiles("FP32 1024^3 tiles 128x128", 128, 128);
  x.tiles("FP32 1024^3 tiles 64x256", 64, 256);
  x.tiles("FP32 1024^3 tiles 256x256", 256, 256);
  x.product("FP16 64x64x64", DType::FP16, false, false, 64, 64, 64, 64, 64, 64);
  x.product("BF16 64x64x64", DType::BF16, false, false, 64, 64, 64, 64, 64, 64);
  x.product("BF16 1024x1024x1024", DType::BF16, false, false, 1024, 1024, 1024, 1024, 1024, 1024);
  x.product("INT8 64x64x64", DType::Int8, false, false, 64, 64, 64, 64, 64, 64);
  x.product("INT8 1024x1024x1024", DType::Int8, false, false, 1024, 1024, 1024, 1024, 1024, 1024);
  if (x.filter.empty()) compile_times();
}
