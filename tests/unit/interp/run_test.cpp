// Whole programs: kernels, orchestration, tasks, control flow, arguments and results.
#include "harness.h"

namespace tilewire::interp::test {
namespace {

const char* const vector_add = R"(
@pl.program
class VectorAdd:
    @pl.function(type=pl.FunctionType.InCore)
    def add(self, a: pl.Tensor[[64, 16], pl.FP32], b: pl.Tensor[[64, 16], pl.FP32], c: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):
        for r in pl.range(0, 64, 16):
            t = pl.load(a, [r, 0], [16, 16]) + pl.load(b, [r, 0], [16, 16])
            c = pl.store(t, [r, 0], c)
        return c

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64, 16], pl.FP32], b: pl.Tensor[[64, 16], pl.FP32], c: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):
        c = self.add(a, b, c)
        return c
)";

TEST(Run, KernelAndOrchestration) {
  Data a = Data::count(DType::FP32, {64, 16}), b = Data::count(DType::FP32, {64, 16}, 0.5, 2),
       c(DType::FP32, {64, 16});
  Outcome out = run(vector_add, {a.array(), b.array(), c.array()});
  ASSERT_EQ(out.error(), "");
  EXPECT_TRUE(same(c.values(), Data::count(DType::FP32, {64, 16}, 0.5, 3).values()));
  ASSERT_EQ(out.result.results.size(), 1u);
  EXPECT_EQ(out.result.results[0].argument, 2);
  EXPECT_EQ(out.result.tasks, 1u);
}

TEST(Run, KernelAlone) {
  Data a = Data::count(DType::FP32, {64, 16}), c(DType::FP32, {64, 16});
  Outcome out = run(vector_add, {a.array(), a.array(), c.array()}, {}, "add");
  ASSERT_EQ(out.error(), "");
  EXPECT_TRUE(same(c.values(), Data::count(DType::FP32, {64, 16}, 0, 2).values()));
}

}  // namespace
}  // namespace tilewire::interp::test
