// Rules that the target has for ops whose records have an expansion: they must give its bits.
#include <gtest/gtest.h>

#include <cstring>

#include "harness.h"
#include "numeric/numeric.h"
#include "ops/registry.h"
#include "target/cpu/traits.h"

namespace tilewire::target::cpu {
namespace {

constexpr int64_t rows = 64, cols = 1024, count = rows * cols;

// A kernel with the op on a ragged tile as well as on a whole one.
std::string kernel_of(const ir::Op& op, const std::string& dtype) {
  const std::string type = "[[64, 1024], pl." + dtype + "]";
  auto store = [&](const char* load, const char* at) {
    return "            y = pl.store(" + op.qualified() + "(pl.load(x, " + load + ")), " + at + ", y)\n";
  };
  return "import tilewire.language as pl\n\n\n@pl.program\nclass P:\n"
         "    @pl.function(type=pl.FunctionType.InCore)\n"
         "    def k(self, x: pl.Tensor" +
         type + ", y: pl.Out[pl.Tensor" + type + "]):\n        for i in pl.range(0, 64, 16):\n" +
         store("[i, 0], [16, 1024]", "[i, 0]") + store("[i, 3], [16, 64], valid_shape=[13, i + 9]", "[i, 3]");
}

// All there are of two bytes; of four, those with every upper half and one lower half.
std::vector<std::byte> patterns(ir::DType dtype, uint32_t lower_half) {
  std::vector<std::byte> bytes;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t bits = ir::bytes(dtype) == 4 ? i << 16 | lower_half : i;
    const auto* from = reinterpret_cast<const std::byte*>(&bits);
    bytes.insert(bytes.end(), from, from + ir::bytes(dtype));
  }
  return bytes;
}

// `from` to `to`, close together.
std::vector<std::byte> range(float from, float to) {
  std::vector<std::byte> bytes(count * sizeof(float));
  for (int64_t i = 0; i < count; ++i) {
    const float value = from + (to - from) * static_cast<float>(i) / static_cast<float>(count);
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return bytes;
}

TEST(Rules, GiveTheBitsOfTheExpansion) {
  int found = 0;
  for (const ir::Op& op : ops::registry().all()) {
    if (op.on_tensors || !has_rule(op)) continue;
    ++found;
    EXPECT_TRUE(op.expansion) << op.qualified();
    auto expect_equal = [&](const char* dtype, const std::vector<std::byte>& x) {
      EXPECT_EQ(rule_difference(kernel_of(op, dtype), "k", x), "") << op.qualified() << " " << dtype;
    };
    expect_equal("FP16", patterns(ir::DType::FP16, 0));
    expect_equal("BF16", patterns(ir::DType::BF16, 0));
    for (uint32_t lower_half : {0x0000u, 0x0001u, 0x5555u, 0x8000u, 0xffffu}) {
      expect_equal("FP32", patterns(ir::DType::FP32, lower_half));
    }
    expect_equal("FP32", range(-130, -70));
    expect_equal("FP32", range(-10, 10));
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace tilewire::target::cpu
