// mode="auto" of allreduce takes what the table says for the ranks and bytes at hand.
#include <gtest/gtest.h>

#include "interp/interp.h"
#include "ir/structural.h"
#include "passes/pipeline.h"
#include "passes_test.h"
#include "target/cpu/traits.h"

namespace tilewire::passes {
namespace {

using Mode = ir::AllreduceMode;

// Sums rows over ranks; with `extent` NR the operand has as many rows as there are ranks.
std::string program(const std::string& extent, const std::string& mode, const std::string& dtype = "FP32") {
  std::string text = R"(
import tilewire.language as pl
import tilewire.language.distributed as pld
NR = pl.dynamic("NR")


@pl.jit.incore
def k(x: pl.Tensor[[EXTENT, 5], pl.DT], y: pl.Out[pl.Tensor[[EXTENT, 5], pl.DT]],
      w: pl.InOut[pld.DistributedTensor[[EXTENT, 5], pl.DT]],
      sig: pl.InOut[pld.DistributedTensor[[NR * 2, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(w))
    pld.tensor.put(w, me, x)
    w = pld.tensor.allreduce(w, sig, mode="MODE")
    pld.tensor.get(y, me, w)
    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, EXTENT, 5], pl.DT], y: pl.Out[pl.Tensor[[NR, EXTENT, 5], pl.DT]]):
    w = pld.alloc_window([EXTENT, 5], dtype=pl.DT)
    sig = pld.alloc_signal(pld.world_size() * 2)
    for r in pl.range(pld.world_size()):
        k(x[r], y[r], w, sig, device=r)
)";
  for (auto [name, value] :
       {std::pair{std::string("EXTENT"), extent}, {"MODE", mode}, {"pl.DT", "pl." + dtype}}) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

ir::ProgramRef lowered(const std::string& text, std::span<const ModeRow> modes) {
  Diagnostics diags;
  Traits traits;
  traits.allreduce_modes = modes;
  ir::ProgramRef result =
      lower_until(*find_pass("lower_composite_ops", traits), read_text(text), traits, diags);
  EXPECT_TRUE(result) << diags.text();
  return result;
}

TEST(AllreduceModes, TheCheckedInTableHasRoomForEverything) {
  int64_t ranks = 0, bytes = 0;
  for (const ModeRow& row : target::cpu::allreduce_modes) {
    EXPECT_NE(row.mode, Mode::Auto);
    if (row.ranks == ranks) {
      EXPECT_GT(row.bytes, bytes);
    } else {
      EXPECT_GT(row.ranks, ranks);
      EXPECT_TRUE(ranks == 0 || bytes == any);
    }
    ranks = row.ranks;
    bytes = row.bytes;
  }
  EXPECT_EQ(ranks, any);
  EXPECT_EQ(bytes, any);
}

// 3 x 5 elements: 60 bytes of FP32, 30 of BF16.
TEST(AllreduceModes, AKnownSizeTakesItsModeWithoutABranch) {
  const ModeRow by_size[] = {{any, 59, Mode::Ring}, {any, 60, Mode::Mesh}, {any, any, Mode::TwoShot}};
  EXPECT_TRUE(
      ir::structurally_equal(lowered(program("3", "auto"), by_size), lowered(program("3", "mesh"), by_size)));
  EXPECT_TRUE(ir::structurally_equal(lowered(program("4", "auto"), by_size),
                                     lowered(program("4", "two_shot"), by_size)));
  EXPECT_TRUE(
      ir::structurally_equal(lowered(program("2", "auto"), by_size), lowered(program("2", "ring"), by_size)));
  // Going round a ring would round more than once.
  EXPECT_TRUE(ir::structurally_equal(lowered(program("3", "auto", "BF16"), by_size),
                                     lowered(program("3", "two_shot", "BF16"), by_size)));
  EXPECT_FALSE(
      ir::structurally_equal(lowered(program("3", "auto"), by_size), lowered(program("3", "ring"), by_size)));
}

// 20 bytes a rank: every number of ranks meets another row.
TEST(AllreduceModes, SizesAndRanksKnownAtRunTimeAreLookedUp) {
  const ModeRow table[] = {{2, 20, Mode::Mesh},
                           {2, any, Mode::TwoShot},
                           {4, 60, Mode::Ring},
                           {4, any, Mode::Mesh},
                           {any, any, Mode::Ring}};
  ir::ProgramRef lowered_program = lowered(program("NR", "auto"), table);
  ASSERT_TRUE(lowered_program);
  for (int64_t ranks : {1, 2, 3, 4, 5}) {
    std::vector<float> x(static_cast<size_t>(ranks * ranks * 5)), y(x.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7);
    std::vector<interp::Argument> args{interp::Array{x.data(), ir::DType::FP32, {ranks, ranks, 5}, {}},
                                       interp::Array{y.data(), ir::DType::FP32, {ranks, ranks, 5}, {}}};
    interp::RunOptions options;
    options.ranks = static_cast<int>(ranks);
    interp::RunResult outcome = interp::run(lowered_program, "host", args, options);
    ASSERT_FALSE(outcome.error) << outcome.error->text();
    int64_t each = ranks * 5;
    for (int64_t i = 0; i < ranks * each; ++i) {
      float sum = 0;
      for (int64_t r = 0; r < ranks; ++r) sum += x[static_cast<size_t>(r * each + i % each)];
      ASSERT_EQ(y[static_cast<size_t>(i)], sum) << ranks << " ranks, element " << i;
    }
  }
}

}  // namespace
}  // namespace tilewire::passes
