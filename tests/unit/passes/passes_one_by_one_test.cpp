// What single passes promise, where no program of tests/lang shows it: built IR, directions, refusals.
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/handles.h"
#include "ops/registry.h"
#include "passes/expand_ops.h"
#include "passes/infer_directions.h"
#include "passes/inline_functions.h"
#include "passes/simplify.h"
#include "passes/verify_lowered.h"
#include "passes_test.h"

namespace tilewire::passes {
namespace {

std::string program(const std::string& functions) {
  return "import tilewire.language as pl\n\nN = pl.dynamic(\"N\")\n\n\n@pl.program\nclass P:\n" + functions;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const char* scaled = R"(
    @pl.function(type=pl.FunctionType.InCore)
    def scale(self, x: pl.Tensor[[N, 64], pl.FP32], k: pl.Scalar[pl.FP32], y: pl.Out[pl.Tensor[[N, 64], pl.FP32]]) -> pl.Tensor[[N, 64], pl.FP32]:
        for i in pl.range(pl.dim(x, 0) // 16):
            y = pl.store(pl.load(x, [i * 16, 0], [16, 64]) * k, [i * 16, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[32, 64], pl.FP32], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        with pl.spmd(1):
            y = self.scale(x, 2.0, y)
            y = self.scale(x, 3.0, y)
        return y
)";

TEST(InlineFunctions, SplicesBuiltOnes) {
  ir::ProgramRef read = read_text(program(scaled));
  ASSERT_TRUE(read);
  Ref<ir::Program> built = ir::copy(*read);
  Ref<ir::Function> inlined = ir::copy(*read->functions[0]);
  inlined->type = ir::FunctionType::Inline;
  built->functions[0] = ir::finish_node(std::move(inlined));
  ir::ProgramRef before = ir::finish_node(std::move(built));
  Diagnostics diags;
  ir::ProgramRef after = inline_functions(before, diags);
  ASSERT_EQ(diags.text(), "");
  ir::verify_or_die(*after, "the test");
  ASSERT_EQ(after->functions.size(), 1u);
  std::string text = ir::as_python(after);
  EXPECT_FALSE(contains(text, "self.scale")) << text;
  EXPECT_TRUE(contains(text, "3.0")) << text;
  // Each call has loops and variables of its own: the text reads back.
  EXPECT_TRUE(read_text(text));
}

// Forty levels of two calls each would be 2^40 statements.
TEST(InlineFunctions, HaveALimit) {
  using namespace ir;
  auto calls_twice = [](const std::string& name, FunctionType type, const std::string& callee) {
    std::vector<StmtRef> stmts;
    for (int i = 0; i < 2 && !callee.empty(); ++i) {
      stmts.push_back(make<Eval>(Span{}, ExprRef(make<FunctionCall>(Span{}, callee, ExprList(), ExprRef(),
                                                                    ExprRef(), ExprList(), unit_type()))));
    }
    if (callee.empty()) {
      ExprRef block = make<Call>(Span{}, ops::registry().find("pl.tile.get_block_idx"), ExprList(),
                                 AttrList(), scalar_type(DType::Index));
      stmts.push_back(make<Assign>(Span{}, block, make<Var>(Span{}, "b", scalar_type(DType::Index))));
    }
    return make<Function>(Span{}, name, type, std::vector<Ref<const Parameter>>(), std::vector<TypeRef>(),
                          make<Block>(Span{}, std::move(stmts)));
  };
  std::vector<FunctionRef> functions = {calls_twice("kernel", FunctionType::InCore, "f0")};
  for (int i = 0; i < 40; ++i) {
    functions.push_back(calls_twice("f" + std::to_string(i), FunctionType::Inline,
                                    i < 39 ? "f" + std::to_string(i + 1) : ""));
  }
  Diagnostics diags;
  inline_functions(
      make<Program>(Span{}, std::string("p"), std::move(functions), std::vector<Ref<const CommGroup>>()),
      diags);
  ASSERT_EQ(diags.all().size(), 1u);
  const std::string text = diags.text();
  EXPECT_TRUE(
      contains(text, "is not inlined: more than 200000 statements would be spliced into one function"))
      << text;
}

// Whether the loop in a kernel with a window `w`, cells `s` and numbers `n` and `d` is marked as a poll.
bool polls(const std::string& body) {
  std::string lines;
  for (size_t at = 0, end; at < body.size(); at = end + 1) {
    end = std::min(body.find('\n', at), body.size());
    lines += "        " + body.substr(at, end - at) + "\n";
  }
  const std::string text = R"(import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[[4], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[4], pl.INT32]], y: pl.InOut[pl.Tensor[[4], pl.INT32]]):
        n = pl.const(0, pl.INT32)
        d = 0
)" + lines + R"(        pl.write(y, [0], n)
        pl.write(y, [1], pl.cast(d, pl.INT32))

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self, y: pl.InOut[pl.Tensor[[2, 4], pl.INT32]]):
        w = pld.alloc_window([4], dtype=pl.FP32)
        s = pld.alloc_window([4], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            self.k(w, s, y[r], device=r)
)";
  const std::string lowered = after("mark_polls", text);
  EXPECT_TRUE(contains(lowered, "pl.while_(")) << lowered;
  // The mark is part of the text.
  EXPECT_EQ(after("mark_polls", lowered), lowered);
  return contains(lowered, "poll=True");
}

TEST(MarkPolls, LoopsThatHandOnWhatTheyReadFromCells) {
  EXPECT_TRUE(polls("while not pld.system.test(s, [0], 1):\n    d = 0"));
  EXPECT_TRUE(polls("while n < 1:\n    n = pl.read(s, [0])"));
  EXPECT_TRUE(polls("while n < 1:\n    n = pl.read(s, [n]) * 2 + 1"));
  EXPECT_TRUE(polls("while True:\n    if pld.system.test(s, [0], 1):\n        break"));
  EXPECT_TRUE(
      polls("while d == 0:\n    if pld.system.test(s, [0], 1):\n        d = 1\n"
            "    if pld.system.test(s, [1], 1):\n        d = 2"));
  EXPECT_TRUE(
      polls("while d < 4:\n    d = 0\n    for i in pl.range(4):\n"
            "        if pld.system.test(s, [i], 1):\n            d = d + 1"));
}

TEST(MarkPolls, LoopsThatTryUpdates) {
  EXPECT_TRUE(polls("while pl.atomic_cas(s, [0], 0, 1) != 0:\n    d = 0"));
  EXPECT_TRUE(polls("while pld.system.compare_exchange(s, 0, [0], 0, 1) != 0:\n    d = 0"));
  EXPECT_TRUE(polls("while pl.atomic_add(s, [0], 0) < 4:\n    d = 0"));
  EXPECT_TRUE(polls("n = pl.const(1, pl.INT32)\nwhile n != 0:\n    n = pl.atomic_cas(s, [0], 0, 1)"));
  EXPECT_FALSE(polls("while pl.atomic_add(s, [0], 1) < 4:\n    d = 0"));
  EXPECT_FALSE(polls("while pl.atomic_cas(s, [0], 0, 1) != 0:\n    n = n + 1"));
  EXPECT_FALSE(polls("while pl.atomic_cas(s, [0], 0, 1) != 0:\n    pl.write(y, [2], n)"));
}

TEST(MarkPolls, NotThoseThatCountWriteOrReadData) {
  EXPECT_FALSE(polls("while not pld.system.test(s, [0], 1):\n    n = n + 1"));
  EXPECT_FALSE(polls("while n < 9:\n    n = n + pl.read(s, [0])"));
  EXPECT_FALSE(polls("while n < 1:\n    n = pl.read(s, [0])\n    pld.system.notify(s, 0, [1], 1)"));
  EXPECT_FALSE(polls("while n < 1:\n    n = pl.read(s, [0])\n    pl.write(y, [2], n)"));
  EXPECT_FALSE(polls("while n < 1:\n    n = pl.cast(pl.read(w, [0]), pl.INT32)"));
  EXPECT_FALSE(polls("while n < 1:\n    d, n = pl.cast(n, pl.INDEX), pl.read(s, [d])"));
  EXPECT_FALSE(polls("while n < 3:\n    n = n + 1"));
}

TEST(Outline, SplicesKernelsCalledBesideOtherWork) {
  std::string text = after("outline_scopes", program(scaled));
  EXPECT_TRUE(contains(text, "def main_kernel(self, x: pl.Tensor[[32, 64], pl.FP32], y: pl.Out[")) << text;
  EXPECT_TRUE(contains(text, "with pl.spmd(1):\n            y_1 = self.main_kernel(x, y)\n")) << text;
}

// Directions by hand made wrong, then found again.
TEST(InferDirections, ThroughCallsLoopsBranchesAndViews) {
  ir::ProgramRef read = read_text(program(R"(
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, a: pl.Tensor[[16, 16], pl.FP32], b: pl.Out[pl.Tensor[[16, 16], pl.FP32]], c: pl.InOut[pl.Tensor[[16, 16], pl.FP32]], n: pl.Scalar[pl.INDEX]):
        t = pl.load(a)
        part = b[0:8]
        for i in pl.range(n):
            if i > 2:
                part = pl.store(t[0:8, 0:16], [0, 0], part)
        c = pl.store(pl.load(c) + t, [0, 0], c)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[16, 16], pl.FP32], b: pl.Out[pl.Tensor[[16, 16], pl.FP32]], c: pl.InOut[pl.Tensor[[16, 16], pl.FP32]]):
        self.k(a, b, c, 3)
)"));
  ASSERT_TRUE(read);
  Ref<ir::Program> built = ir::copy(*read);
  for (ir::FunctionRef& function : built->functions) {
    Ref<ir::Function> changed = ir::copy(*function);
    Diagnostics diags;
    Rebuilder rebuilder(diags);
    for (auto& param : changed->params) {
      auto plain = ir::make<ir::Parameter>(param->span, param->name, param->type);
      rebuilder.bind(*param, plain);
      param = plain;
    }
    changed->body = rebuilder.block(*function->body);
    function = ir::finish_node(std::move(changed));
  }
  Diagnostics diags;
  ir::ProgramRef after = infer_directions(ir::finish_node(std::move(built)), diags);
  for (const ir::FunctionRef& function : after->functions) {
    EXPECT_EQ(function->params[0]->direction, ir::Direction::In) << function->name;
    EXPECT_EQ(function->params[1]->direction, ir::Direction::Out) << function->name;
    EXPECT_EQ(function->params[2]->direction, ir::Direction::InOut) << function->name;
  }
}

TEST(Simplify, KeepsWhatOnlyRunTimeMayRefuse) {
  std::string text = after("simplify", program(R"(
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[8], pl.INT32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[8], pl.INT32]]):
        far = pl.dim(x, 0) * 2
        zero = pl.dim(x, 0) - 8
        if n > 3:
            y[0] = x[far]
            y[1] = pl.cast(n // zero, pl.INT32)
)"));
  EXPECT_TRUE(contains(text, "k = pl.const(16, pl.INDEX)")) << text;
  EXPECT_TRUE(contains(text, "n // k_1")) << text;
}

TEST(Simplify, FoldsWithTheMeaningOfRunTime) {
  std::string text = after("simplify", program(R"(
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, y: pl.Out[pl.Tensor[[8], pl.INT8]], z: pl.Out[pl.Tensor[[8], pl.FP16]]):
        a = pl.const(100, pl.INT8)
        y[0] = a + a
        y[1] = -a // pl.const(3, pl.INT8)
        y[2] = -a % pl.const(3, pl.INT8)
        y[3] = a >> pl.const(2, pl.INT8)
        b = pl.const(0.1, pl.FP16)
        z[0] = b * b
)"));
  EXPECT_TRUE(contains(text, "[0], -56)")) << text;
  EXPECT_TRUE(contains(text, "[1], -34)")) << text;
  EXPECT_TRUE(contains(text, "[2], 2)")) << text;
  EXPECT_TRUE(contains(text, "[3], 25)")) << text;
  EXPECT_TRUE(contains(text, "[0], 0.0099")) << text;  // 0.1 * 0.1 in FP16 is 0.009994506835937...
}

TEST(Errors, GroupsBesideOtherWork) {
  std::string errors = errors_of(program(R"(
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        pl.store(pl.load(x), [0, 0], y)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        pl.store(pl.load(x), [0, 0], y)

    @pl.function(type=pl.FunctionType.Group)
    def group(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(x, y)
        self.vector(x, z)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[4, 16, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 16, 64], pl.FP32]], z: pl.Out[pl.Tensor[[4, 16, 64], pl.FP32]]):
        for b in pl.spmd(4):
            self.group(x[b], y[b], z[b])
)"));
  EXPECT_TRUE(contains(errors, "TW2001")) << errors;
}

TEST(Errors, ResultsWithoutAPlace) {
  std::string one_of_two = errors_of(program(R"(
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, a: pl.Tensor[[16, 16], pl.FP32], b: pl.Tensor[[16, 16], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[16, 16], pl.FP32]:
        if n > 0:
            c = a
        else:
            c = b
        return c
)"));
  EXPECT_TRUE(contains(one_of_two, "TW2002")) << one_of_two;
  std::string twice = errors_of(program(R"(
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, y: pl.InOut[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tuple[pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[16, 16], pl.FP32]]:
        y[...] = pl.load(y) * 2.0
        return y, y
)"));
  EXPECT_TRUE(contains(twice, "TW2004")) << twice;
}

const char* const activated = R"(
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[16, 16], pl.FP16], y: pl.Out[pl.Tensor[[16, 16], pl.FP16]]):
        y = pl.store(pl.lrelu(pl.load(x), 0.5), [0, 0], y)
        return y
)";

TEST(ExpandOps, ComputesInFp32AndRoundsOnce) {
  std::string text = after("expand_ops", program(activated));
  EXPECT_FALSE(contains(text, "lrelu")) << text;
  EXPECT_TRUE(contains(text, R"(
        t_1 = pl.tile.cast(t, target_type=pl.FP32)
        t_2 = pl.scalar.cast(pl.const(0.5, pl.FP16), target_type=pl.FP32)
        t_3 = pl.tile.mul(t_1, t_2)
        t_4 = pl.tile.cmp(t_1, 0.0, op=pl.CmpOp.Ge)
        t_5 = pl.tile.sel(t_4, t_1, t_3)
        t_6 = pl.tile.cast(t_5, target_type=pl.FP16)
)")) << text;
}

TEST(ExpandOps, LeavesOpsThatTheTargetHasARuleFor) {
  ir::ProgramRef read = read_text(program(activated));
  ASSERT_TRUE(read);
  Diagnostics diags;
  Traits own;
  own.has_rule = [](const ir::Op& op) { return &op == ops::pl::tile::lrelu; };
  ir::ProgramRef kept = expand_ops(read, own, diags);
  EXPECT_EQ(not_lowered(*kept, own), "");
  EXPECT_EQ(not_lowered(*kept, {}), "k: pl.tile.lrelu is left\n");
  EXPECT_EQ(not_lowered(*expand_ops(read, {}, diags), {}), "");
}

TEST(VerifyLowered, SeesWhatIsLeft) {
  ir::ProgramRef read = read_text(program(R"(
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
        y[...] = pl.tensor.exp(x)

    @pl.function(type=pl.FunctionType.Opaque)
    def main(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
        with pl.at():
            y[...] = pl.load(x)
)"));
  ASSERT_TRUE(read);
  std::string problems = not_lowered(*read, {});
  EXPECT_TRUE(contains(problems, "k: pl.tensor.exp is left")) << problems;
  EXPECT_TRUE(contains(problems, "main: a scope holds more than one call")) << problems;
  EXPECT_TRUE(contains(problems, "main: is still inline or opaque")) << problems;
}

}  // namespace
}  // namespace tilewire::passes
