// Products of every dtype, shape and transposition against sums in FP64 and INT64. Operands, result and
// scratch memory end at a page that may not be touched, and what is between rows must stay as it was.
#include "target/cpu/matmul.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

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
using Product = void(int64_t m, int64_t n, int64_t k, const void* a, int64_t lda, const void* b, int64_t ldb,
                     void* c, int64_t ldc, void* scratch);

// Memory whose last byte is followed by a page without access.
class Guarded {
 public:
  explicit Guarded(size_t bytes) {
    size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_ = (bytes + page - 1) / page * page + page;
    base_ = static_cast<uint8_t*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + size_ - page, page, PROT_NONE);
    data_ = base_ + size_ - page - bytes;
  }
  ~Guarded() { munmap(base_, size_); }
  Guarded(const Guarded&) = delete;
  uint8_t* data() const { return data_; }

 private:
  uint8_t* base_;
  uint8_t* data_;
  size_t size_;
};

struct Shape {
  int64_t m, n, k;
  int64_t pad;  // elements between the end of a row and the next
};

std::string name_of(DType dtype, bool ta, bool tb, bool accumulate) {
  return std::string(ir::info(dtype).name) + (ta ? "T" : "N") + (tb ? "T" : "N") + (accumulate ? "+" : "");
}

// With `shape`, sizes and strides are constants of the code; the arguments are ignored.
void define(Jit& jit, DType dtype, bool ta, bool tb, bool accumulate, const Shape* shape = nullptr) {
  llvm::IRBuilder<> t(jit.context());
  llvm::Type *w = t.getInt64Ty(), *p = t.getPtrTy();
  jit.define(name_of(dtype, ta, tb, accumulate), {w, w, w, p, w, p, w, p, w, p},
             [&](llvm::IRBuilder<>& b, llvm::Function& f) {
               MatmulArgs args{dtype,       ta,          tb,          accumulate,  f.getArg(0),
                               f.getArg(1), f.getArg(2), f.getArg(3), f.getArg(5), f.getArg(7),
                               f.getArg(4), f.getArg(6), f.getArg(8), f.getArg(9)};
               if (shape) {
                 args.m = b.getInt64(shape->m), args.n = b.getInt64(shape->n), args.k = b.getInt64(shape->k);
                 args.a_stride = b.getInt64((ta ? shape->m : shape->k) + shape->pad);
                 args.b_stride = b.getInt64((tb ? shape->k : shape->n) + shape->pad);
                 args.c_stride = b.getInt64(shape->n + shape->pad);
               }
               emit_matmul(b, jit.machine(), args);
             });
}

class Case {
 public:
  Case(DType dtype, bool ta, bool tb, bool accumulate, Shape s, std::mt19937& random)
      : dtype_(dtype), ta_(ta), tb_(tb), accumulate_(accumulate), s_(s), random_(random) {
    lda_ = (ta ? s.m : s.k) + s.pad, ldb_ = (tb ? s.k : s.n) + s.pad, ldc_ = s.n + s.pad;
  }

  void run(Product* product, const Machine& machine) {
    Guarded a(bytes(ta_ ? s_.k : s_.m, ta_ ? s_.m : s_.k, lda_)),
        b(bytes(tb_ ? s_.n : s_.k, tb_ ? s_.k : s_.n, ldb_));
    size_t c_bytes = s_.m ? static_cast<size_t>((s_.m - 1) * ldc_ + s_.n) * 4 : 0;
    Guarded c(c_bytes);
    uint64_t need = matmul_scratch_bytes(machine, dtype_, s_.m, s_.n, s_.k);
    ASSERT_LE(need, matmul_scratch_bytes(machine, dtype_, {}, {}, {}));
    need = (need + 63) / 64 * 64;
    Guarded scratch(need);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(scratch.data()) % 64, 0u);
    std::memset(scratch.data(), 0xff, need);  // NaN
    fill(a, bytes(ta_ ? s_.k : s_.m, ta_ ? s_.m : s_.k, lda_)),
        fill(b, bytes(tb_ ? s_.n : s_.k, tb_ ? s_.k : s_.n, ldb_));
    std::vector<uint32_t> before(c_bytes / 4);
    for (size_t i = 0; i < before.size(); ++i) {
      float value = static_cast<float>(static_cast<int>(random_() % 200) - 100) / 8;
      before[i] = dtype_ == DType::Int8 ? random_() : std::bit_cast<uint32_t>(value);
    }
    if (c_bytes != 0) std::memcpy(c.data(), before.data(), c_bytes);
    product(s_.m, s_.n, s_.k, a.data(), lda_, b.data(), ldb_, c.data(), ldc_, scratch.data());
    check(a.data(), b.data(), before, reinterpret_cast<const uint8_t*>(c.data()));
  }

 private:
  size_t bytes(int64_t rows, int64_t columns, int64_t stride) const {
    return rows ? static_cast<size_t>(((rows - 1) * stride + columns) * ir::bytes(dtype_)) : 0;
  }

  void fill(Guarded& x, size_t count) {
    for (size_t i = 0; i < count / ir::bytes(dtype_); ++i) {
      if (dtype_ == DType::Int8) {
        x.data()[i] = static_cast<uint8_t>(random_() % 5 ? random_() : 0x80);
      } else {
        float value = static_cast<float>(static_cast<int32_t>(static_cast<uint32_t>(random_()))) / 2e9f;
        numeric::store_float(dtype_, x.data() + i * ir::bytes(dtype_), value);
      }
    }
  }

  double at(const uint8_t* base, int64_t index) const {
    const uint8_t* element = base + index * ir::bytes(dtype_);
    return dtype_ == DType::Int8 ? static_cast<int8_t>(*element) : numeric::load_float(dtype_, element);
  }

  void check(const uint8_t* a, const uint8_t* b, const std::vector<uint32_t>& before,
             const uint8_t* c) const {
    for (size_t i = 0; i < before.size(); ++i) {
      int64_t row = static_cast<int64_t>(i) / ldc_, column = static_cast<int64_t>(i) % ldc_;
      uint32_t got;
      std::memcpy(&got, c + 4 * i, 4);
      if (column >= s_.n) {
        ASSERT_EQ(got, before[i]) << what() << ": wrote beside row " << row;
        continue;
      }
      double sum = 0, size = 0;
      for (int64_t l = 0; l < s_.k; ++l) {
        double term =
            at(a, ta_ ? l * lda_ + row : row * lda_ + l) * at(b, tb_ ? column * ldb_ + l : l * ldb_ + column);
        sum += term, size += std::fabs(term);
      }
      if (dtype_ == DType::Int8) {
        uint32_t expected = static_cast<uint32_t>(static_cast<int64_t>(sum)) + (accumulate_ ? before[i] : 0);
        ASSERT_EQ(got, expected) << what() << " at " << row << ", " << column;
      } else {
        double start = accumulate_ ? std::bit_cast<float>(before[i]) : 0;
        double limit = (static_cast<double>(s_.k) + 2) * 6e-8 * (size + std::fabs(start)) + 1e-37;
        ASSERT_NEAR(std::bit_cast<float>(got), sum + start, limit)
            << what() << " at " << row << ", " << column;
      }
    }
  }

  std::string what() const {
    return name_of(dtype_, ta_, tb_, accumulate_) + " " + std::to_string(s_.m) + "x" + std::to_string(s_.n) +
           "x" + std::to_string(s_.k) + " pad " + std::to_string(s_.pad);
  }

  DType dtype_;
  bool ta_, tb_, accumulate_;
  Shape s_;
  std::mt19937& random_;
  int64_t lda_, ldb_, ldc_;
};

std::vector<Shape> shapes(std::mt19937& random) {
  std::vector<Shape> all = {{0, 5, 3, 0},     {5, 0, 3, 0},    {5, 7, 0, 1},     {1, 1, 1, 0},
                            {64, 64, 64, 0},  {16, 16, 16, 0}, {12, 32, 8, 0},   {13, 33, 257, 3},
                            {1, 100, 40, 0},  {100, 1, 40, 0}, {130, 40, 20, 5}, {9, 530, 9, 0},
                            {3, 40, 1030, 0}, {7, 31, 1, 2},   {11, 17, 1025, 0}};
  for (int64_t bad : {256, 1024}) all.push_back({25, 70, 33, bad - 33}), all.push_back({30, 64, bad, 0});
  for (int i = 0; i < 40; ++i) {
    auto size = [&](int64_t limit) {
      return static_cast<int64_t>(1 + random() % static_cast<uint64_t>(limit));
    };
    all.push_back({size(50), size(80), size(90), size(20) - 1});
  }
  return all;
}

class Matmul : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Machines, Matmul,
                         testing::Values("", "skylake-avx512", "haswell", "x86-64", "neoverse-n1"),
                         [](const auto& info) {
                           std::string name = *info.param ? info.param : "host";
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

TEST_P(Matmul, MatchesTheSum) {
  if (!runs_here(GetParam())) GTEST_SKIP();
  for (DType dtype : {DType::FP32, DType::FP16, DType::BF16, DType::Int8}) {
    Jit jit(GetParam());
    for (int bits = 0; bits < 8; ++bits) define(jit, dtype, bits & 1, bits & 2, bits & 4);
    jit.compile();
    std::mt19937 random(3);
    for (const Shape& shape : shapes(random)) {
      for (int bits = 0; bits < 8; ++bits) {
        auto* product = jit.address<Product>(name_of(dtype, bits & 1, bits & 2, bits & 4));
        Case(dtype, bits & 1, bits & 2, bits & 4, shape, random).run(product, jit.machine());
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Matmul, TakesConstantSizes) {
  if (!runs_here(GetParam())) GTEST_SKIP();
  std::mt19937 random(5);
  const Shape constant[] = {{64, 64, 64, 0},  {16, 16, 16, 0}, {13, 33, 20, 1},   {1, 48, 70, 0},
                            {5, 7, 0, 0},     {0, 5, 3, 0},    {24, 520, 5, 0},   {130, 8, 9, 3},
                            {40, 40, 256, 0}, {3, 20, 600, 0}, {131, 128, 20, 3}, {7, 64, 1, 0}};
  for (DType dtype : {DType::FP32, DType::BF16, DType::Int8}) {
    for (const Shape& shape : constant) {
      Jit jit(GetParam());
      for (int bits = 0; bits < 8; ++bits) define(jit, dtype, bits & 1, bits & 2, bits & 4, &shape);
      jit.compile();
      for (int bits = 0; bits < 8; ++bits) {
        auto* product = jit.address<Product>(name_of(dtype, bits & 1, bits & 2, bits & 4));
        Case(dtype, bits & 1, bits & 2, bits & 4, shape, random).run(product, jit.machine());
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Matmul, CallsNoLibrary) {
  Jit jit(GetParam());
  for (DType dtype : {DType::FP32, DType::FP16, DType::BF16, DType::Int8}) {
    for (int bits = 0; bits < 4; ++bits) define(jit, dtype, bits & 1, bits & 2, true);
  }
  EXPECT_FALSE(jit.has_outside_symbols());
}

}  // namespace
}  // namespace tilewire::target::cpu
