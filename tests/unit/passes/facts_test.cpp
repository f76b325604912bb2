// What passes find out about tiles for targets: valid extents and memories.
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/visitor.h"
#include "passes/tile_memory.h"
#include "passes/valid_shapes.h"
#include "passes_test.h"

namespace tilewire::passes {
namespace {

// A kernel over x [64, 64], scalar n, and out; `body` is indented by eight.
ir::FunctionRef kernel(const std::string& body) {
  ir::ProgramRef program = read_text(R"(import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
)" + body);
  return program ? program->functions[0] : nullptr;
}

struct FindVar : ir::Visitor<FindVar> {
  std::string name;
  ir::VarRef found;
  void visit(const ir::Var& var) {
    if (var.name_hint == name) found = ir::VarRef(&var);
  }
};

ir::VarRef variable(const ir::FunctionRef& function, const std::string& name) {
  FindVar find;
  find.name = name;
  find.walk(*function->body);
  EXPECT_TRUE(find.found) << name;
  return find.found;
}

std::string valid(const ir::FunctionRef& function, const std::string& name) {
  ValidShapes shapes(*function);
  auto text = [&](ExtentId extent) {
    if (extent == full_extent) return std::string("full");
    ir::ExprRef expr = shapes.expression(extent);
    return expr ? ir::to_string(expr) : "unknown";
  };
  ValidShape shape = shapes.of(*variable(function, name));
  return text(shape.rows) + ", " + text(shape.cols);
}

TEST(ValidShapes, FollowOperands) {
  ir::FunctionRef f = kernel(R"(
        a = pl.load(x, [0, 0], [16, 64], valid_shape=[n, 64])
        b = pl.load(x, [0, 0], [16, 64])
        c = a + b
        s = pl.row_sum(c)
        columns = pl.col_sum(c)
        e = pl.exp(b)
        p = pl.fillpad(c)
        u = pl.transpose(c)
        m = pl.matmul(c, b, b_trans=True)
        d = pl.tile.set_validshape(b, [3, 5])
        g = pl.tile.set_validshape(b, [8, 2]) + d
        h = a + d
        out = pl.store(h, [0, 0], out)
)");
  ASSERT_TRUE(f);
  EXPECT_EQ(valid(f, "a"), "n, full");
  EXPECT_EQ(valid(f, "c"), "n, full");
  EXPECT_EQ(valid(f, "s"), "n, full");
  EXPECT_EQ(valid(f, "columns"), "full, full");
  EXPECT_EQ(valid(f, "e"), "full, full");
  EXPECT_EQ(valid(f, "p"), "full, full");
  EXPECT_EQ(valid(f, "u"), "full, n");
  EXPECT_EQ(valid(f, "m"), "n, full");
  EXPECT_EQ(valid(f, "g"), "3, 2");
  EXPECT_EQ(valid(f, "h"), "unknown, 5");
}

// Extents that are equal in every run have one number, others have not.
TEST(ValidShapes, NumberEqualExtents) {
  ir::FunctionRef f = kernel(R"(
        a = pl.load(x, [0, 0], [16, 64], valid_shape=[n + 1, n])
        b = pl.load(x, [16, 0], [16, 64], valid_shape=[n + 1, n])
        other = pl.load(x, [0, 0], [16, 64], valid_shape=[n + 2, n])
        both = a + other
        again = other + b
        u = pl.transpose(a)
        same = pl.transpose(a, axis1=1, axis2=1)
        part = pl.tile.set_validshape(pl.tile.full([16, 1], dtype=pl.FP32, value=1.0), [16, n])
        spread = b * part
        least = pl.tile.set_validshape(a, [5, 64]) + pl.tile.set_validshape(b, [7, 64])
        out = pl.store(both + again + same + spread + least, [0, 0], out)
        out = pl.store(u, [0, 0], out)
)");
  ASSERT_TRUE(f);
  ValidShapes shapes(*f);
  auto of = [&](const std::string& name) { return shapes.of(*variable(f, name)); };
  EXPECT_EQ(of("a"), of("b"));
  EXPECT_EQ(of("both"), of("again"));
  EXPECT_NE(of("both").rows, of("a").rows);
  EXPECT_EQ(of("both").cols, of("a").cols);
  EXPECT_EQ(of("u"), (ValidShape{of("a").cols, of("a").rows}));
  EXPECT_EQ(of("same"), of("a"));
  // A column without elements leaves nothing of what it is spread over.
  EXPECT_EQ(of("spread").rows, of("b").rows);
  EXPECT_EQ(valid(f, "spread"), "n + 1, unknown");
  EXPECT_EQ(valid(f, "least"), "5, full");
}

TEST(ValidShapes, MeetInLoopsAndBranches) {
  ir::FunctionRef f = kernel(R"(
        a = pl.load(x, [0, 0], [16, 64], valid_shape=[n, 64])
        b = pl.load(x, [0, 0], [16, 64])
        for i in pl.range(n):
            b = b + 1.0
        for i in pl.range(n):
            a = a + b
        c = pl.load(x, [0, 0], [16, 64])
        for i in pl.range(n):
            c = c + pl.load(x, [0, 0], [16, 64], valid_shape=[i, 64])
        if n > 3:
            d = a + 1.0
        else:
            d = pl.load(x, [0, 0], [16, 64])
        out = pl.store(a + b + c + d, [0, 0], out)
)");
  ASSERT_TRUE(f);
  EXPECT_EQ(valid(f, "b"), "full, full");
  EXPECT_EQ(valid(f, "a"), "n, full");
  EXPECT_EQ(valid(f, "c"), "unknown, full");
  EXPECT_EQ(valid(f, "d"), "unknown, full");
}

std::string memory(const ir::FunctionRef& function, const std::string& name) {
  ir::MemorySpace space = TileMemory(*function).of(*variable(function, name));
  return std::string(ir::member_name(ir::enum_value(space)));
}

TEST(TileMemory, FollowsUse) {
  ir::FunctionRef f = kernel(R"(
        a = pl.load(x)
        b = pl.load(x)
        v = pl.load(x)
        c = pl.matmul(a, b)
        for i in pl.range(n):
            both = pl.load(x)
            c = pl.matmul_acc(c, both, a)
            v = v + both
        said = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Left)
        e = pl.exp(c)
        f = pl.matmul(e, said)
        out = pl.store(f + v, [0, 0], out)
)");
  ASSERT_TRUE(f);
  EXPECT_EQ(memory(f, "a"), "Mat");
  EXPECT_EQ(memory(f, "b"), "Mat");
  EXPECT_EQ(memory(f, "c"), "Acc");
  EXPECT_EQ(memory(f, "v"), "Vec");
  EXPECT_EQ(memory(f, "both"), "Vec");
  EXPECT_EQ(memory(f, "said"), "Left");
  EXPECT_EQ(memory(f, "e"), "Vec");
  EXPECT_EQ(memory(f, "f"), "Acc");
}

}  // namespace
}  // namespace tilewire::passes
