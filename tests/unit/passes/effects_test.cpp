// What kernels are recorded to do to their parameters.
#include "passes/effects.h"

#include <gtest/gtest.h>

#include "ir/printer.h"
#include "passes/pipeline.h"
#include "passes_test.h"
#include "target/cpu/traits.h"

namespace tilewire::passes {
namespace {

std::string recorded(const std::string& parameters, const std::string& body) {
  ir::ProgramRef program = read_text(R"(import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, )" + parameters + "):\n" +
                                     body);
  if (!program) return "";
  Diagnostics diags;
  ir::ProgramRef lowered = lower(program, target::cpu::traits, diags);
  EXPECT_TRUE(lowered) << diags.text();
  return lowered ? lowered->functions[0]->effects : "";
}

const std::string two = "x: pl.Tensor[[4, 8], pl.FP32], y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]]";
const std::string windows =
    "w: pl.InOut[pld.DistributedTensor[[4, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[4, 1], "
    "pl.INT32]], "
    "n: pl.Scalar[pl.INDEX]";

TEST(Effects, OfThisRanksMemory) {
  EXPECT_EQ(recorded(two, "        pl.store(pl.load(x), [0, 0], y)\n"), "read, write");
  EXPECT_EQ(recorded(two, "        pl.store(pl.load(x) + pl.load(y), [0, 0], y)\n"), "read, read+write");
  EXPECT_EQ(recorded(two, "        pl.store(pl.load(x), [0, 0], y, atomic=pld.AtomicType.Add)\n"),
            "read, read+write+atomic");
  EXPECT_EQ(recorded(two, R"(        pl.store(pl.load(x), [0, 0], y, atomic=pld.AtomicType.Add)
        pl.store(pl.load(x), [0, 0], y)
)"),
            "read, read+write");
  EXPECT_EQ(recorded(two, "        pl.store(pl.full([4, 8], dtype=pl.FP32, value=1.0), [0, 0], y)\n"),
            "-, write");
}

TEST(Effects, OfPeersAndSignalsAreNotOfThisRanksMemory) {
  EXPECT_EQ(recorded(windows, "        pld.tile.remote_store(pl.load(w), w, n, [0, 0])\n"),
            "read+communicate, -, -");
  EXPECT_EQ(recorded(windows, "        pld.system.notify(s, n, [0, 0], 1)\n"), "-, communicate, -");
  EXPECT_EQ(recorded(windows, "        pld.system.wait(s, [0, 0], 1)\n"), "-, communicate, -");
  EXPECT_EQ(recorded(windows, "        pl.tile.comm_notify(pld.peer_slot(s, n, [0, 0]), 1)\n"),
            "-, communicate, -");
}

TEST(Effects, OfAtomicUpdatesThatReturn) {
  // Data to other tasks, and in a window an acquire and a release.
  EXPECT_EQ(recorded("c: pl.InOut[pl.Tensor[[4], pl.INT64]]", "        pl.atomic_add(c, [0], 1)\n"),
            "read+write+atomic+communicate");
  EXPECT_EQ(recorded("c: pl.InOut[pl.Tensor[[4], pl.INT64]]",
                     "        pl.atomic_cas(c, [0], 0, 1)\n        pl.write(c, [1], 2)\n"),
            "read+write+communicate");
  EXPECT_EQ(recorded(windows, "        pld.system.fetch_add(s, n, [0, 0], 1)\n"), "-, communicate, -");
}

// Whatever a collective is made of, it is recorded as what it declares of this rank's memory: what is read
// and written there as a peer's, or by others on its behalf, is complete when it returns.
TEST(Effects, OfCollectivesAreThoseDeclared) {
  struct Form {
    const char *call, *effects;  // of x, c, d, w, a, b, s
  };
  const std::string reduces = "-, -, -, read+write+communicate, -, -, communicate";
  const Form forms[] = {
      {"allreduce(w, s)", reduces.c_str()},
      {"allreduce(w, s, mode=\"mesh\")", reduces.c_str()},
      {"allreduce(w, s, mode=\"two_shot\")", reduces.c_str()},
      {"allreduce(w, s, mode=\"ring\")", reduces.c_str()},
      {"reduce_scatter(w, s)", reduces.c_str()},
      {"broadcast(w, s, root=1)", reduces.c_str()},
      {"allgather(x, a, s)", "read, -, -, -, read+write+communicate, -, communicate"},
      {"allgather(w, a, s)", "-, -, -, read, read+write+communicate, -, communicate"},
      {"all_to_all(a, b, s)", "-, -, -, -, read, write+communicate, communicate"},
      {"all_to_all_v(a, b, s, c, d)", "-, read, write, -, read, write+communicate, communicate"},
      {"barrier(s)", "-, -, -, -, -, -, communicate"},
  };
  const std::string parameters =
      "x: pl.Tensor[[4, 8], pl.FP32], c: pl.Tensor[[4], pl.INT32], d: pl.InOut[pl.Tensor[[4], pl.INT32]], "
      "w: pl.InOut[pld.DistributedTensor[[4, 8], pl.FP32]], a: pl.InOut[pld.DistributedTensor[[16, 8], "
      "pl.FP32]], "
      "b: pl.InOut[pld.DistributedTensor[[16, 8], pl.FP32]], "
      "s: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]]";
  for (const Form& form : forms) {
    EXPECT_EQ(recorded(parameters, std::string("        pld.tensor.") + form.call + "\n"), form.effects)
        << form.call;
  }
}

TEST(Effects, FollowTensorsThroughViewsLoopsAndBranches) {
  EXPECT_EQ(recorded("x: pl.Tensor[[4, 8], pl.FP32], y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]], "
                     "z: pl.InOut[pl.Tensor[[4, 8], pl.FP32]], n: pl.Scalar[pl.INDEX]",
                     R"(        if n > 0:
            t = y
        else:
            t = z
        for i in pl.range(4):
            t = pl.store(pl.load(x, [i, 0], [1, 8]), [i, 0], t)
)"),
            "read, write, write, -");
}

TEST(Effects, ArePrintedAndReadBack) {
  EXPECT_EQ(ir::to_text({0, ir::EffectReads | ir::EffectWrites, ir::EffectCommunicates}),
            "-, read+write, communicate");
  EXPECT_EQ(ir::param_effects("-, read+write, communicate"),
            (ir::ParamEffects{0, ir::EffectReads | ir::EffectWrites, ir::EffectCommunicates}));
  for (const char* wrong : {"reads", "read,write", "read+", "+read", "read+read", ", ", "read, ", " "}) {
    EXPECT_FALSE(ir::param_effects(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace tilewire::passes
