// What only a run can find: each stops it with the place, the op and the numbers.
#include <limits>

#include "harness.h"
#include "interp/op_table.h"
#include "ir/op.h"
#include "ops/registry.h"

namespace tilewire::interp::test {
namespace {

// A kernel over x, y [8, 8] FP32 and a number n; the message when n is `n`, nothing when it runs.
std::string message(const std::string& body, int64_t n, RunOptions options = {}) {
  std::string program = R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def main(self, x: pl.Tensor[[8, 8], pl.FP32], n: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
)";
  program += indented(body);
  program += "        return y\n";
  Data x(DType::FP32, {8, 8}), y(DType::FP32, {8, 8});
  return run(program, {x.array(), Number::of(DType::Int64, n), y.array()}, options).message();
}

TEST(RunErrors, Regions) {
  const char* load = "y = pl.store(pl.load(x, [n, 0], [4, 8]), [0, 0], y)";
  EXPECT_EQ(message(load, 4), "");
  EXPECT_EQ(message(load, 5),
            "TW2102: out of bounds: elements 5 to 8 are outside dimension 0, which has extent 8");
  EXPECT_EQ(message(load, -1),
            "TW2102: out of bounds: elements -1 to 2 are outside dimension 0, which has extent 8");
  EXPECT_EQ(
      message(load, INT64_MAX),
      "TW2102: out of bounds: elements 9223372036854775807 to ? are outside dimension 0, which has extent 8");
  const char* store = "y = pl.store(pl.load(x), [0, n], y)";
  EXPECT_EQ(message(store, 0), "");
  EXPECT_EQ(message(store, 1),
            "TW2102: out of bounds: elements 1 to 8 are outside dimension 1, which has extent 8");
  const char* slice = "y[0:4, :] = x[n:n + 4, :]";
  EXPECT_EQ(message(slice, 4), "");
  EXPECT_EQ(message(slice, 5),
            "TW2102: out of bounds: elements 5 to 8 are outside dimension 0, which has extent 8");
  const char* part = "y[n:n + 1, :] = pl.load(x)[n:n + 1, :]";
  EXPECT_EQ(message(part, 7), "");
  EXPECT_EQ(message(part, 8), "TW2102: out of bounds: element 8 is outside dimension 0, which has extent 8");
}

TEST(RunErrors, Indices) {
  EXPECT_EQ(message("y[0, n] = x[n, 0]", 7), "");
  EXPECT_EQ(message("y[0, 0] = x[n, 0]", 8),
            "TW2101: out of bounds: index 8 is outside dimension 0, which has extent 8");
  EXPECT_EQ(message("y[0, n] = 1.0", -1),
            "TW2101: out of bounds: index -1 is outside dimension 1, which has extent 8");
  EXPECT_EQ(message("t = pl.load(x)\ny[0, 0] = t[0, n]", 8),
            "TW2101: out of bounds: index 8 is outside dimension 1, which has extent 8");
  EXPECT_EQ(message("a = pl.array.create(4, pl.INT32)\na[n] = 1\ny[0, 0] = pl.cast(a[n], pl.FP32)", 3), "");
  EXPECT_EQ(message("a = pl.array.create(4, pl.INT32)\na[n] = 1", 4),
            "TW2113: out of bounds: element 4 of an array of 4");
  EXPECT_EQ(message("a = pl.array.create(4, pl.INT32)\ny[0, 0] = pl.cast(a[n], pl.FP32)", -1),
            "TW2113: out of bounds: element -1 of an array of 4");
}

TEST(RunErrors, Scalars) {
  EXPECT_EQ(message("y[0, 0] = pl.cast(7 // n, pl.FP32)", 0), "TW2103: division by zero: `//`");
  EXPECT_EQ(message("y[0, 0] = pl.cast(7 % n, pl.FP32)", 0), "TW2103: division by zero: `%`");
  EXPECT_EQ(message("y[0, 0] = pl.cast(1 << n, pl.FP32)", -1), "TW2108: negative shift count: `<<` by -1");
  EXPECT_EQ(message("y[0, 0] = pl.cast(2 ** n, pl.FP32)", -3),
            "TW2109: negative exponent: an integer raised to the power -3");
  const char* narrow = "y[0, 0] = pl.cast(pl.cast(n, pl.INT32), pl.FP32)";
  EXPECT_EQ(message(narrow, INT32_MAX), "");
  EXPECT_EQ(message(narrow, int64_t{1} << 31), "TW2104: 2147483648 does not fit pl.INT32");
  EXPECT_EQ(message("y[0, 0] = pl.cast(pl.cast(n, pl.UINT8), pl.FP32)", -1),
            "TW2104: -1 does not fit pl.UINT8");
}

TEST(RunErrors, ValidShapes) {
  const char* load = "y = pl.store(pl.load(x, [0, 0], [4, 8], valid_shape=[n, 8]), [0, 0], y)";
  EXPECT_EQ(message(load, 0), "");
  EXPECT_EQ(message(load, 4), "");
  EXPECT_EQ(message(load, 5),
            "TW2106: out of bounds: valid extent 5 does not fit dimension 0 of the tile, which has extent 4");
  EXPECT_EQ(
      message(load, -1),
      "TW2106: out of bounds: valid extent -1 does not fit dimension 0 of the tile, which has extent 4");
  EXPECT_EQ(message("t = pl.set_validshape(pl.load(x), [8, n])", 9),
            "TW2106: out of bounds: valid extent 9 does not fit dimension 1 of the tile, which has extent 8");
  EXPECT_EQ(message("t = pl.create_tile([8, 8], dtype=pl.FP32, valid_shape=[8, n])", 9),
            "TW2106: out of bounds: valid extent 9 does not fit dimension 1 of the tile, which has extent 8");
}

TEST(RunErrors, TensorsOfRunTimeSize) {
  EXPECT_EQ(message("t = pl.create_tensor([n, 8], dtype=pl.FP32)", -2),
            "TW2112: negative extent: dimension 0 cannot have extent -2");
  EXPECT_EQ(message("t = pl.tensor.add(x[0:n, :], x)", 3),
            "TW2107: shape mismatch: `pl.tensor.add` needs equal extents in dimension 0, got 3 and 8");
  EXPECT_EQ(message("t = pl.tensor.reshape(x, [n, 8])", 3),
            "TW2117: shape mismatch: `pl.tensor.reshape` cannot reshape [8, 8] to [3, 8]");
  EXPECT_EQ(message("t = pl.create_tensor([n, n, n, n, n], dtype=pl.FP32)", 1 << 20),
            "TW2119: memory limit exceeded: the run needs more than any machine has");
}

TEST(RunErrors, Limits) {
  RunOptions options;
  options.step_limit = 10000;
  std::string endless = "while n > 0:\n    n = n + 0";
  EXPECT_EQ(message(endless, 1, options), "TW2120: step limit exceeded: the run takes more than 10000 steps");
  options = {};
  options.memory_limit = 1 << 20;
  EXPECT_EQ(message("t = pl.create_tensor([n, 8], dtype=pl.FP32)", 1 << 16, options),
            "TW2119: memory limit exceeded: the run needs more than the 1048576 bytes it may use");
  EXPECT_EQ(
      message("for i in pl.range(n):\n    t = pl.full([8, 8], dtype=pl.FP32, value=0.0)", 10000, options),
      "");
}

TEST(RunErrors, ShowTheLineTheOpAndTheBlock) {
  Outcome out = run(R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def scale(self, x: pl.Tensor[[8, 8], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
        b = pl.tile.get_block_idx()
        return pl.store(pl.load(x, [b * 4, 0], [4, 8]), [b * 4, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[8, 8], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
        with pl.spmd(3, name_hint="rows"):
            y = self.scale(x, y)
        return y
)",
                    {Data(DType::FP32, {8, 8}).array(), Data(DType::FP32, {8, 8}).array()});
  EXPECT_EQ(out.error(),
            "error[TW2102]: out of bounds: elements 8 to 11 are outside dimension 0, which has extent 8\n"
            " --> test.py:9:25\n"
            "  |\n"
            "9 |         return pl.store(pl.load(x, [b * 4, 0], [4, 8]), [b * 4, 0], y)\n"
            "  |                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ pl.tile.load\n"
            "  = note: in `scale`, block 2 of 3\n");
  ASSERT_TRUE(out.result.error);
  EXPECT_EQ(out.result.error->op, "pl.tile.load");
  EXPECT_EQ(out.result.error->block, 2);
  EXPECT_EQ(out.result.error->rank, 0);
  EXPECT_EQ(out.result.error->task, "scale");
}

TEST(RunErrors, Arguments) {
  const char* program = R"(
N = pl.dynamic("N")
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def main(self, x: pl.Tensor[[N, 8], pl.FP32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]], k: pl.Scalar[pl.INT32]):
        return y
)";
  Data x(DType::FP32, {4, 8}), y(DType::FP32, {5, 8}), h(DType::FP16, {4, 8}), narrow(DType::FP32, {4, 7});
  Number k = Number::of(DType::Int32, int64_t{1});
  EXPECT_EQ(run(program, {x.array(), x.array(), k}).message(), "");
  EXPECT_EQ(run(program, {x.array(), y.array(), k}).message(),
            "TW2114: shape mismatch: dimension `N` is 4 in `x` and 5 in `y`");
  EXPECT_EQ(run(program, {narrow.array(), narrow.array(), k}).message(),
            "TW2116: shape mismatch: `x` of `main` needs the shape [N, 8], got [4, 7]");
  EXPECT_EQ(run(program, {x.array(), x.array()}).message(), "TW2125: `main` takes 3 arguments, got 2");
  EXPECT_EQ(run(program, {h.array(), x.array(), k}).message(),
            "TW2124: `x` of `main` must be an array of rank 2 of pl.FP32, got an array [4, 8] of pl.FP16");
  EXPECT_EQ(run(program, {k, x.array(), k}).message(),
            "TW2124: `x` of `main` must be an array of rank 2 of pl.FP32, got a number of pl.INT32");
  EXPECT_EQ(run(program, {x.array(), x.array(), Number::of(DType::Int64, int64_t{1})}).message(),
            "TW2124: `k` of `main` must be a number of pl.INT32, got a number of pl.INT64");
  EXPECT_EQ(run(program, {}, {}, "mian").message(), "TW2126: the program has no function `mian`");
}

TEST(RunErrors, DimensionsThatNothingFixes) {
  const char* program = R"(
B = pl.dynamic("B")
S = pl.dynamic("S")
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def main(self, x: pl.Tensor[[B * S], pl.FP32], y: pl.Out[pl.Tensor[[1], pl.FP32]]):
        y[0] = pl.cast(S, pl.FP32)
        return y
)";
  Data x(DType::FP32, {12}), y(DType::FP32, {1});
  EXPECT_EQ(run(program, {x.array(), y.array()}).message(), "TW2115: the dimension `S` has no value");
  RunOptions options;
  options.symbols["S"] = 4;
  EXPECT_EQ(run(program, {x.array(), y.array()}, options).message(), "");
  EXPECT_EQ(y.at(0), 4);
  const char* linear = R"(
N = pl.dynamic("N")
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def main(self, x: pl.Tensor[[N * 4 + 2], pl.FP32], y: pl.Out[pl.Tensor[[1], pl.FP32]]):
        y[0] = pl.cast(N, pl.FP32)
        return y
)";
  Data z(DType::FP32, {14}), odd(DType::FP32, {15});
  EXPECT_EQ(run(linear, {z.array(), y.array()}).message(), "");
  EXPECT_EQ(y.at(0), 3);
  EXPECT_EQ(run(linear, {odd.array(), y.array()}).message(), "TW2115: the dimension `N` has no value");
}

// A rule, an expansion, or a reason in the record.
TEST(OpEntries, EveryOpHasAMeaning) {
  for (const ir::Op& op : ops::registry().all()) {
    const bool rule = op_entries().find(op);
    EXPECT_TRUE(rule || op.expansion || !op.no_rule.empty()) << op.qualified();
    EXPECT_FALSE(rule && op.expansion) << op.qualified() << " is expanded before its rule could run";
  }
}

}  // namespace
}  // namespace tilewire::interp::test
