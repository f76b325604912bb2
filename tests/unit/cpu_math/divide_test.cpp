// Division by one number: every quotient must have the bits that the processor's own division gives.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "cpu_jit_harness.h"
#include "target/cpu/math.h"

namespace tilewire::target::cpu {
namespace {

using Divide = void(const float* x, float* y, int64_t n, float by);

constexpr unsigned lanes = 16;

class Division {
 public:
  Division() {
    llvm::IRBuilder<> t(jit_.context());
    jit_.define("divide", {t.getPtrTy(), t.getPtrTy(), t.getInt64Ty(), t.getFloatTy()},
                [&](llvm::IRBuilder<>& b, llvm::Function& f) { emit(b, f); });
    jit_.compile();
    divide_ = jit_.address<Divide>("divide");
  }

  // The dividends, filled up to whole vectors.
  void check(std::vector<float> x, float by) const {
    while (x.size() % lanes) x.push_back(1);
    std::vector<float> y(x.size());
    divide_(x.data(), y.data(), static_cast<int64_t>(x.size()), by);
    for (size_t i = 0; i < x.size(); ++i) {
      volatile float exact = x[i] / by;
      if (std::isnan(exact) && std::isnan(y[i])) continue;
      ASSERT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(float{exact}))
          << x[i] << " / " << by << " gave " << y[i];
    }
  }

 private:
  void emit(llvm::IRBuilder<>& b, llvm::Function& f) {
    Divisor by = make_divisor(b, f.getArg(3));
    auto* type = llvm::FixedVectorType::get(b.getFloatTy(), lanes);
    auto* entry = b.GetInsertBlock();
    auto* loop = llvm::BasicBlock::Create(b.getContext(), "loop", &f);
    auto* done = llvm::BasicBlock::Create(b.getContext(), "done", &f);
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    auto* i = b.CreatePHI(b.getInt64Ty(), 2);
    i->addIncoming(b.getInt64(0), entry);
    auto at = [&](unsigned arg) { return b.CreateGEP(b.getFloatTy(), f.getArg(arg), i); };
    llvm::Value* x = b.CreateAlignedLoad(type, at(0), llvm::Align(4));
    b.CreateAlignedStore(emit_divide(b, jit_.machine(), x, by), at(1), llvm::Align(4));
    llvm::Value* next = b.CreateAdd(i, b.getInt64(lanes));
    i->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpSLT(next, f.getArg(2)), loop, done);
    b.SetInsertPoint(done);
  }

  Jit jit_;
  Divide* divide_;
};

class QuickDivision : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_quick_division(Jit().machine())) GTEST_SKIP();
  }
};

TEST_F(QuickDivision, TakesAnyBits) {
  Division division;
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<float> x(256);
    for (float& value : x) value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    division.check(x, std::bit_cast<float>(static_cast<uint32_t>(random())));
    if (HasFatalFailure()) return;
  }
}

// Whole vectors of one kind of number, so that the way around the divider is taken wherever it may be.
TEST_F(QuickDivision, TakesSpecialNumbersAndBordersOfItsRange) {
  std::vector<float> special = {0.0f,     -0.0f,    INFINITY,  -INFINITY, NAN,     1.0f,  -1.0f,  3.0f,
                                1e-45f,   3e-45f,   0x1p-126f, 3.4e38f,   0x1p60f, 0.1f,  -7.0f,  0x1p-60f,
                                0x1p-61f, -0x1p60f, 0x1p61f,   0x1p-24f,  1e-30f,  1e30f, -1e-38f};
  special.push_back(std::bit_cast<float>(0x7fffffffu));
  for (float border : {0x1p60f, 0x1p-60f}) {
    special.push_back(std::nextafter(border, 0.0f)), special.push_back(std::nextafter(border, INFINITY));
  }
  Division division;
  for (float by : special) {
    division.check(special, by);
    for (float value : special) division.check(std::vector<float>(lanes, value), by);
    if (HasFatalFailure()) return;
  }
}

// Quotients next to the middle between two floats, where a last place is easily lost: x is the product of the
// divisor and such a middle, rounded. Divisors with few bits before or after a power of two are the hard
// ones.
TEST_F(QuickDivision, RoundsCorrectly) {
  Division division;
  std::mt19937 random(2);
  auto mantissa = [&] { return 1 + std::ldexp(static_cast<double>(random() % (1u << 23)), -23); };
  for (int round = 0; round < 3000; ++round) {
    double few = std::ldexp(static_cast<double>(random() % 64), -23);
    float by = static_cast<float>(round % 3 == 0 ? mantissa() : round % 3 == 1 ? 1 + few : 2 - few);
    std::vector<float> x(512);
    for (size_t i = 0; i < x.size(); ++i) {
      double middle = mantissa() + 0x1p-24;
      x[i] = static_cast<float>(i % 2 ? middle * by : mantissa());
      if (i % 4 > 1) x[i] = std::nextafter(x[i], i % 8 > 3 ? 0.0f : 4.0f);
    }
    division.check(x, by);
    division.check(x, std::ldexp(by, static_cast<int>(random() % 120) - 60));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tilewire::target::cpu
