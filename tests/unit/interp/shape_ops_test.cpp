// Reductions, broadcasts, products, moves, shapes, sorting; and the valid extents they give.
#include <algorithm>
#include <limits>

#include "harness.h"
#include "numeric/numeric.h"

namespace tilewire::interp::test {
namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

// A kernel on inputs x (and z), writing y; what y holds afterwards. y starts with 99 everywhere, and whatever
// must not be read is poison.
Data kernel(const std::string& body, std::vector<Data> inputs, Data y, std::string* error = nullptr) {
  const char* names[] = {"x", "z", "w"};
  std::string program =
      "@pl.program\nclass P:\n    @pl.function(type=pl.FunctionType.InCore)\n    def main(self, ";
  auto type = [](const Data& d) {
    return "pl.Tensor[" + text(d.shape) + ", pl." + std::string(ir::info(d.dtype).name) + "]";
  };
  std::vector<Argument> args;
  for (size_t i = 0; i < inputs.size(); ++i) {
    program += std::string(names[i]) + ": " + type(inputs[i]) + ", ";
    args.push_back(inputs[i].array());
  }
  for (size_t i = 0; i < y.size(); ++i) y.set(i, 99);
  args.push_back(y.array());
  program += "y: pl.InOut[" + type(y) + "]):\n";
  program += indented(body);
  program += "        return y\n";
  RunOptions options;
  options.poison = true;
  Outcome out = run(program, args, options);
  if (error) {
    *error = out.message();
  } else {
    EXPECT_EQ(out.error(), "") << program;
  }
  return y;
}

TEST(Reduce, FloatsAndIntegers) {
  Data x(DType::FP32, {2, 3}, {1, 5, 2, -1, nan, 7});
  EXPECT_TRUE(same(evaluate("pl.row_sum(a)", {x}, DType::FP32, {2, 1}).values(), {8, nan}));
  EXPECT_TRUE(same(evaluate("pl.row_max(a)", {x}, DType::FP32, {2, 1}).values(), {5, nan}));
  EXPECT_TRUE(same(evaluate("pl.row_min(a)", {x}, DType::FP32, {2, 1}).values(), {1, nan}));
  EXPECT_TRUE(same(evaluate("pl.row_argmax(a)", {x}, DType::Int32, {2, 1}).values(), {1, 1}));
  EXPECT_TRUE(same(evaluate("pl.row_argmin(a)", {x}, DType::Int32, {2, 1}).values(), {0, 1}));
  EXPECT_TRUE(same(evaluate("pl.col_sum(a)", {x}, DType::FP32, {1, 3}).values(), {0, nan, 9}));
  EXPECT_TRUE(same(evaluate("pl.col_max(a)", {x}, DType::FP32, {1, 3}).values(), {1, nan, 7}));
  EXPECT_TRUE(same(evaluate("pl.col_min(a)", {x}, DType::FP32, {1, 3}).values(), {-1, nan, 2}));
  Data i(DType::Int8, {2, 3}, {100, 100, 3, -5, 4, 4});
  EXPECT_TRUE(same(evaluate("pl.row_sum(a)", {i}, DType::Int8, {2, 1}).values(), {-53, 3}));
  EXPECT_TRUE(same(evaluate("pl.row_argmax(a)", {i}, DType::Int32, {2, 1}).values(), {0, 1}));
  EXPECT_TRUE(same(evaluate("pl.col_max(a)", {i}, DType::Int8, {1, 3}).values(), {100, 100, 4}));
}

TEST(Reduce, ZerosArePositive) {
  Data x(DType::FP32, {2, 2}, {0.0, -0.0, -0.0, -0.0});
  for (const char* op : {"row_max", "row_min", "col_max", "col_min", "row_sum", "col_sum"}) {
    std::vector<int64_t> shape = op[0] == 'r' ? std::vector<int64_t>{2, 1} : std::vector<int64_t>{1, 2};
    Data y = evaluate("pl." + std::string(op) + "(a)", {x}, DType::FP32, shape);
    EXPECT_FALSE(std::signbit(y.at(0)) || std::signbit(y.at(1))) << op;
  }
}

TEST(Reduce, SumsInFp32FromLeftToRightRoundedOnce) {
  Data x(DType::FP16, {1, 4}, {2048, 1, 1, 1});  // in FP16 steps: 2048
  EXPECT_TRUE(same(evaluate("pl.row_sum(a)", {x}, DType::FP16, {1, 1}).values(), {2052}));
  Data y(DType::FP32, {1, 3}, {16777216, 1, 1});
  EXPECT_TRUE(same(evaluate("pl.row_sum(a)", {y}, DType::FP32, {1, 1}).values(), {16777216}));
}

TEST(Reduce, LooksAtTheValidExtentOnly) {
  Data x = Data::count(DType::FP32, {4, 4});
  auto reduce = [&](const std::string& op, std::vector<int64_t> shape) {
    return kernel("t = pl.load(x, [0, 0], [4, 4], valid_shape=[2, 3])\ny = pl.store(pl." + op +
                      "(t), [0, 0], y)",
                  {x}, Data(DType::FP32, shape))
        .values();
  };
  EXPECT_TRUE(same(reduce("row_sum", {4, 1}), {3, 15, 99, 99}));
  EXPECT_TRUE(same(reduce("row_max", {4, 1}), {2, 6, 99, 99}));
  EXPECT_TRUE(same(reduce("col_sum", {1, 4}), {4, 6, 8, 99}));
  EXPECT_TRUE(same(reduce("col_min", {1, 4}), {0, 1, 2, 99}));
}

TEST(Broadcast, PlainAndFused) {
  Data a(DType::FP32, {2, 3}, {1, 2, 3, 4, 5, 6}), column(DType::FP32, {2, 1}, {10, 20}),
      row(DType::FP32, {1, 3}, {1, 2, 4});
  EXPECT_TRUE(same(evaluate("pl.row_expand(a, [2, 3])", {column}, DType::FP32, {2, 3}).values(),
                   {10, 10, 10, 20, 20, 20}));
  EXPECT_TRUE(
      same(evaluate("pl.col_expand(a, [2, 3])", {row}, DType::FP32, {2, 3}).values(), {1, 2, 4, 1, 2, 4}));
  struct Row {
    const char* op;
    std::vector<double> by_row, by_column;
  };
  const Row rows[] = {
      {"add", {11, 12, 13, 24, 25, 26}, {2, 4, 7, 5, 7, 10}},
      {"sub", {-9, -8, -7, -16, -15, -14}, {0, 0, -1, 3, 3, 2}},
      {"mul", {10, 20, 30, 80, 100, 120}, {1, 4, 12, 4, 10, 24}},
      {"max", {10, 10, 10, 20, 20, 20}, {1, 2, 4, 4, 5, 6}},
      {"min", {1, 2, 3, 4, 5, 6}, {1, 2, 3, 1, 2, 4}},
  };
  for (const Row& r : rows) {
    std::string op = r.op;
    EXPECT_TRUE(same(evaluate("pl.row_expand_" + op + "(a, b)", {a, column}, DType::FP32, {2, 3}).values(),
                     r.by_row));
    EXPECT_TRUE(same(evaluate("pl.col_expand_" + op + "(a, b)", {a, row}, DType::FP32, {2, 3}).values(),
                     r.by_column));
  }
  EXPECT_TRUE(same(evaluate("pl.col_expand_div(a, b)", {a, row}, DType::FP32, {2, 3}).values(),
                   {1, 1, 0.75, 4, 2.5, 1.5}));
  EXPECT_EQ(evaluate("pl.row_expand_div(a, b)", {a, column}, DType::FP32, {2, 3}).at(0), 0.1f);
}

// The definition, in FP64: exact for the small integers used here.
std::vector<double> product(const Data& a, const Data& b, bool a_trans, bool b_trans) {
  int64_t m = a.shape[a_trans], k = a.shape[!a_trans], n = b.shape[!b_trans];
  std::vector<double> out;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += a.at(a_trans ? p * m + i : i * k + p) * b.at(b_trans ? j * k + p : p * n + j);
      }
      out.push_back(sum);
    }
  }
  return out;
}

TEST(Matrix, ProductsOfEveryDtypeAndTranspose) {
  for (DType dtype : {DType::FP32, DType::FP16, DType::BF16, DType::Int8}) {
    DType out = dtype == DType::Int8 ? DType::Int32 : DType::FP32;
    for (int form = 0; form < 4; ++form) {
      bool ta = form & 1, tb = form & 2;
      Data a = Data::count(dtype, ta ? std::vector<int64_t>{5, 3} : std::vector<int64_t>{3, 5}, -7);
      Data b = Data::count(dtype, tb ? std::vector<int64_t>{4, 5} : std::vector<int64_t>{5, 4}, -9);
      std::string flags = std::string(ta ? ", a_trans=True" : "") + (tb ? ", b_trans=True" : "");
      EXPECT_TRUE(same(evaluate("pl.matmul(a, b" + flags + ")", {a, b}, out, {3, 4}).values(),
                       product(a, b, ta, tb)));
    }
  }
}

TEST(Matrix, AccumulatorBiasAndNarrowResult) {
  Data a = Data::count(DType::FP32, {2, 2}), b(DType::FP32, {2, 2}, {1, 0, 0, 1}),
       acc(DType::FP32, {2, 2}, {10, 20, 30, 40});
  EXPECT_TRUE(same(evaluate("pl.matmul_acc(c, a, b)", {a, b, acc}, DType::FP32, {2, 2}, Tiles).values(),
                   {10, 21, 32, 43}));
  Data bias(DType::FP32, {1, 2}, {100, 200});
  EXPECT_TRUE(same(evaluate("pl.matmul_bias(a, b, c)", {a, b, bias}, DType::FP32, {2, 2}).values(),
                   {100, 201, 102, 203}));
  Data h(DType::FP16, {1, 2}, {2048, 1}), one(DType::FP16, {2, 1}, {1, 1});
  EXPECT_TRUE(
      same(evaluate("pl.matmul(a, b, out_dtype=pl.FP16)", {h, one}, DType::FP16, {1, 1}).values(), {2048}));
  EXPECT_TRUE(same(evaluate("pl.matmul(a, b)", {h, one}, DType::FP32, {1, 1}).values(), {2049}));
}

TEST(Matrix, TensorAccumulatorIsWrittenInPlace) {
  Data a = Data::count(DType::FP32, {2, 2}), b(DType::FP32, {2, 2}, {1, 0, 0, 1});
  Data y = kernel("y = pl.tensor.matmul_acc(y, x, z)", {a, b}, Data(DType::FP32, {2, 2}));
  EXPECT_TRUE(same(y.values(), {99, 100, 101, 102}));
}

TEST(Matrix, Batches) {
  Data a = Data::count(DType::FP32, {2, 1, 2}), b = Data::count(DType::FP32, {2, 2, 1}, 1);
  EXPECT_TRUE(
      same(evaluate("pl.batch_matmul(a, b)", {a, b}, DType::FP32, {2, 1, 1}, Tensors).values(), {2, 18}));
}

TEST(Matrix, ValidExtents) {
  Data a = Data::count(DType::FP32, {4, 4}), b = Data::count(DType::FP32, {4, 4});
  const std::string loads =
      "a = pl.load(x, [0, 0], [4, 4], valid_shape=[2, 3])\nb = pl.load(z, [0, 0], [4, 4], valid_shape=[3, "
      "1])\n";
  Data y = kernel(loads + "y = pl.store(pl.matmul(a, b), [0, 0], y)", {a, b}, Data(DType::FP32, {4, 4}));
  std::vector<double> expected(16, 99);
  expected[0] = 0 * 0 + 1 * 4 + 2 * 8;
  expected[4] = 4 * 0 + 5 * 4 + 6 * 8;
  EXPECT_TRUE(same(y.values(), expected));
  std::string error;
  kernel(
      "a = pl.load(x, [0, 0], [4, 4], valid_shape=[2, 3])\ny = pl.store(pl.matmul(a, pl.load(z)), [0, 0], y)",
      {a, b}, Data(DType::FP32, {4, 4}), &error);
  EXPECT_EQ(error,
            "TW2107: shape mismatch: `pl.tile.matmul` needs equal extents in dimension K, got 3 and 4");
}

TEST(Move, FullAndArange) {
  EXPECT_TRUE(
      same(evaluate("pl.full([2, 2], dtype=pl.INT8, value=-3)", {}, DType::Int8, {2, 2}, Tiles).values(),
           {-3, -3, -3, -3}));
  EXPECT_TRUE(same(
      evaluate("pl.tensor.full([2, 2], dtype=pl.BF16, value=1.5)", {}, DType::BF16, {2, 2}, Tensors).values(),
      {1.5, 1.5, 1.5, 1.5}));
  EXPECT_TRUE(
      same(evaluate("pl.tile.arange([2, 3], axis=1, start=5)", {}, DType::Int32, {2, 3}, Tiles).values(),
           {5, 6, 7, 5, 6, 7}));
  EXPECT_TRUE(same(
      evaluate("pl.tensor.arange([2, 3], axis=0, start=0.5, dtype=pl.FP32)", {}, DType::FP32, {2, 3}, Tensors)
          .values(),
      {0.5, 0.5, 0.5, 1.5, 1.5, 1.5}));
  EXPECT_TRUE(same(
      evaluate("pl.tile.arange([1, 3], start=126, dtype=pl.INT8)", {}, DType::Int8, {1, 3}, Tiles).values(),
      {126, 127, -128}));
}

TEST(Move, LoadsAndStoresOfAnyRank) {
  Data x = Data::count(DType::FP32, {2, 3, 4});
  Data y = kernel("y = pl.store(pl.load(x, [1, 1, 2], [1, 2, 2]), [0, 1, 0], y)", {x},
                  Data(DType::FP32, {2, 3, 4}));
  std::vector<double> expected(24, 99);
  expected[4] = 18, expected[5] = 19, expected[8] = 22, expected[9] = 23;
  EXPECT_TRUE(same(y.values(), expected));
  Data row = Data::count(DType::Int16, {6});
  y = kernel("y = pl.store(pl.load(x, [2], [3]), [1], y)", {row}, Data(DType::Int16, {5}));
  EXPECT_TRUE(same(y.values(), {99, 2, 3, 4, 99}));
}

TEST(Move, StoreWritesTheValidExtentAndAddsAtomically) {
  Data x = Data::count(DType::FP32, {3, 3});
  Data y = kernel("y = pl.store(pl.load(x, [0, 0], [3, 3], valid_shape=[2, 1]), [1, 1], y)", {x},
                  Data(DType::FP32, {3, 3}));
  EXPECT_TRUE(same(y.values(), {99, 99, 99, 99, 0, 99, 99, 3, 99}));
  Data half(DType::FP16, {1, 2}, {2000, 1});
  y = kernel("y = pl.store(pl.load(x), [0, 0], y, atomic=pld.AtomicType.Add)", {half},
             Data(DType::FP16, {1, 2}));
  EXPECT_TRUE(same(y.values(), {2100, 100}));  // 2099 is no FP16
}

TEST(Move, SingleElements) {
  Data x = Data::count(DType::FP32, {2, 2});
  Data y = kernel(
      "t = pl.load(x)\nt = pl.write(t, [1, 0], pl.read(t, [0, 1]) + 10.0)\ny = pl.store(t, [0, 0], y)\ny[0, "
      "0] = "
      "x[1, 1]",
      {x}, Data(DType::FP32, {2, 2}));
  EXPECT_TRUE(same(y.values(), {3, 1, 11, 3}));
}

TEST(Shapes, PartsOfTiles) {
  Data x = Data::count(DType::FP32, {4, 4});
  Data y = kernel("t = pl.load(x)\ny = pl.store(t[1:3, 2:4], [0, 0], y)", {x}, Data(DType::FP32, {2, 2}));
  EXPECT_TRUE(same(y.values(), {6, 7, 10, 11}));
  y = kernel("t = pl.load(x, [0, 0], [4, 4], valid_shape=[2, 3])\ny = pl.store(t[1:3, 2:4], [0, 0], y)", {x},
             Data(DType::FP32, {2, 2}));
  EXPECT_TRUE(same(y.values(), {6, 99, 99, 99}));
  y = kernel("t = pl.load(x)\nt[2:4, 0:2] = t[0:2, 2:4]\ny = pl.store(t, [0, 0], y)", {x},
             Data(DType::FP32, {4, 4}));
  EXPECT_TRUE(same(y.values(), {0, 1, 2, 3, 4, 5, 6, 7, 2, 3, 10, 11, 6, 7, 14, 15}));
}

TEST(Shapes, ReshapeTransposeConcat) {
  Data x = Data::count(DType::FP32, {2, 3});
  EXPECT_TRUE(same(evaluate("pl.reshape(a, [3, 2])", {x}, DType::FP32, {3, 2}).values(), {0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(same(evaluate("pl.transpose(a)", {x}, DType::FP32, {3, 2}).values(), {0, 3, 1, 4, 2, 5}));
  for (On on : {Tiles, Tensors}) {
    std::string op = on == Tiles ? "pl.tile.concat" : "pl.tensor.concat";
    EXPECT_TRUE(same(evaluate(op + "([a, a], axis=1)", {x}, DType::FP32, {2, 6}, on).values(),
                     {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
    Data last(DType::FP32, {1, 3}, {7, 8, 9});
    EXPECT_TRUE(same(evaluate(op + "([a, b])", {x, last}, DType::FP32, {3, 3}, on).values(),
                     {0, 1, 2, 3, 4, 5, 7, 8, 9}));
  }
}

TEST(Shapes, ValidExtentsTravel) {
  Data x = Data::count(DType::FP32, {1, 6});
  const std::string ragged = "t = pl.load(x, [0, 0], [1, 6], valid_shape=[1, 4])\n";
  Data y = kernel(ragged + "y = pl.store(pl.reshape(t, [3, 2]), [0, 0], y)", {x}, Data(DType::FP32, {3, 2}));
  EXPECT_TRUE(same(y.values(), {0, 1, 2, 3, 99, 99}));
  y = kernel(ragged + "y = pl.store(pl.transpose(t), [0, 0], y)", {x}, Data(DType::FP32, {6, 1}));
  EXPECT_TRUE(same(y.values(), {0, 1, 2, 3, 99, 99}));
  y = kernel(ragged + "y = pl.store(pl.fillpad(t, pad=\"min\"), [0, 0], y)", {x}, Data(DType::FP32, {1, 6}));
  EXPECT_TRUE(
      same(y.values(), {0, 1, 2, 3, -std::numeric_limits<float>::max(), -std::numeric_limits<float>::max()}));
  y = kernel(ragged + "u = pl.load(x)\ny = pl.store(pl.set_validshape(u, [1, 2]) + t, [0, 0], y)", {x},
             Data(DType::FP32, {1, 6}));
  EXPECT_TRUE(same(y.values(), {0, 2, 99, 99, 99, 99}));
  std::string error;
  kernel(ragged + "y = pl.store(pl.concat([t, t], axis=1), [0, 0], y)", {x}, Data(DType::FP32, {1, 12}),
         &error);
  EXPECT_EQ(error, "TW2118: `pl.tile.concat` needs all parts but the last to be valid to their end");
  kernel(ragged + "y = pl.store(pl.reshape(t, [2, 3]), [0, 0], y)", {x}, Data(DType::FP32, {2, 3}), &error);
  EXPECT_EQ(error,
            "TW2118: `pl.tile.reshape` needs a valid extent that fills whole rows, got [1, 4] of [1, 6]");
}

TEST(Shapes, TensorViewsShareStorage) {
  Data y = kernel(
      "part = y[1:3, 1:2]\nt = pl.full([2, 1], dtype=pl.FP32, value=5.0)\npl.store(t, [0, 0], part)\n"
      "turned = pl.tensor.transpose(y)\nturned[0, 2] = 7.0",
      {}, Data(DType::FP32, {3, 2}));
  EXPECT_TRUE(same(y.values(), {99, 99, 99, 5, 7, 5}));
}

TEST(Index, GatherAndScatter) {
  Data x(DType::FP32, {2, 3}, {1, 2, 3, 4, 5, 6}), index(DType::Int32, {2, 2}, {2, 0, 1, 1});
  EXPECT_TRUE(same(evaluate("pl.gather(a, b)", {x, index}, DType::FP32, {2, 2}).values(), {3, 1, 5, 5}));
  Data rows(DType::Int32, {1, 3}, {1, 0, 1});
  EXPECT_TRUE(same(evaluate("pl.gather(a, b, axis=0)", {x, rows}, DType::FP32, {1, 3}).values(), {4, 2, 6}));
  Data src(DType::FP32, {2, 2}, {10, 20, 30, 40});
  EXPECT_TRUE(same(evaluate("pl.scatter(a, b, c)", {x, index, src}, DType::FP32, {2, 3}, Tiles).values(),
                   {20, 2, 10, 4, 40, 6}));
  Data y = kernel("y = pl.scatter(y, x, z)", {index, src}, Data(DType::FP32, {2, 3}));
  EXPECT_TRUE(same(y.values(), {20, 99, 10, 99, 40, 99}));
  std::string error;
  Data bad(DType::Int32, {2, 2}, {2, 0, 3, 1});
  kernel("y = pl.store(pl.gather(pl.load(x), pl.load(z)), [0, 0], y)", {x, bad}, Data(DType::FP32, {2, 2}),
         &error);
  EXPECT_EQ(error, "TW2101: out of bounds: index 3 is outside dimension 1, which has extent 3");
}

TEST(Sort, RunsAndMerges) {
  Data x = Data::random(DType::FP32, {2, 256}, 5);
  x.set(3, nan);
  x.set(40, x.at(41));  // equal elements keep their order
  const std::string body =
      "v, i = pl.sort32(pl.load(x))\nv, i = pl.mrgsort(v, i)\nv, i = pl.mrgsort(v, i, block_len=128)\n"
      "y = pl.store(pl.cast(i, pl.FP32), [0, 0], y)";
  Data y = kernel(body, {x}, Data(DType::FP32, {2, 256}));
  for (int row = 0; row < 2; ++row) {
    std::vector<int> order(256);
    for (int i = 0; i < 256; ++i) order[i] = i;
    auto key = [&](int i) {
      double v = x.at(row * 256 + i);
      return std::isnan(v) ? inf : v;
    };
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return key(i) > key(j); });
    for (int i = 0; i < 256; ++i) EXPECT_EQ(y.at(row * 256 + i), order[i]) << row << " " << i;
  }
  Data runs =
      kernel("v, i = pl.sort32(pl.load(x))\ny = pl.store(v, [0, 0], y)", {x}, Data(DType::FP32, {2, 256}));
  for (int i = 32; i < 63; ++i) EXPECT_GE(runs.at(i), runs.at(i + 1));
}

}  // namespace
}  // namespace tilewire::interp::test
