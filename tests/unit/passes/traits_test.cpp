// What a target says of itself decides which passes run and what they make.
#include "passes/traits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/printer.h"
#include "passes/pipeline.h"
#include "passes_test.h"

namespace tilewire::passes {
namespace {

std::vector<std::string> names(const Traits& traits) {
  std::vector<std::string> found;
  for (const Pass* pass : pipeline(traits)) found.push_back(pass->name);
  return found;
}

bool has(const std::vector<std::string>& all, const std::string& name) {
  return std::find(all.begin(), all.end(), name) != all.end();
}

std::string lowered(const std::string& text, const Traits& traits) {
  Diagnostics diags;
  ir::ProgramRef program = lower(read_text(text), traits, diags);
  EXPECT_TRUE(program) << diags.text();
  return program ? ir::as_python(program) : "";
}

TEST(Traits, SayWhichPassesRun) {
  EXPECT_FALSE(has(names({}), "mark_collectives"));
  EXPECT_TRUE(has(names({}), "convert_tensor_to_tile_ops"));
  EXPECT_TRUE(has(names(for_checking({})), "mark_collectives"));
  EXPECT_FALSE(has(names(for_interp({})), "convert_tensor_to_tile_ops"));
  EXPECT_EQ(find_pass("mark_collectives", {}), nullptr);
  EXPECT_NE(find_pass("mark_collectives", for_checking({})), nullptr);
}

const char* const exp_of_64_rows = R"(
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    y = pl.assemble(y, pl.exp(x), [0, 0])
    return y
)";

TEST(Traits, SayHowLargeTilesAre) {
  Traits traits;
  traits.whole_tile_bytes = 64 * 64 * 4;
  EXPECT_EQ(lowered(exp_of_64_rows, traits).find("for "), std::string::npos);
  traits.whole_tile_bytes = 64 * 64 * 4 - 1;
  traits.block_bytes = 16 * 64 * 4;
  const std::string blocks = lowered(exp_of_64_rows, traits);
  EXPECT_NE(blocks.find("for "), std::string::npos) << blocks;
  EXPECT_NE(blocks.find("[16, 64]"), std::string::npos) << blocks;
}

TEST(Traits, SayHowLargeChunksOfCollectivesAre) {
  const char* const text = R"(
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(w: pl.InOut[pld.DistributedTensor[[4096], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]]):
    w = pld.tensor.allreduce(w, s, mode="two_shot")


@pl.jit.host
def main():
    w = pld.alloc_window([4096], dtype=pl.FP32)
    s = pld.alloc_signal(8)
    for r in pl.range(pld.world_size()):
        k(w, s, device=r)
)";
  Traits traits;
  traits.chunk_bytes = 512;
  const std::string small = lowered(text, traits);
  EXPECT_NE(small.find("[128]"), std::string::npos) << small;
  traits.chunk_bytes = 2048;
  const std::string large = lowered(text, traits);
  EXPECT_EQ(large.find("[128]"), std::string::npos) << large;
  EXPECT_NE(large.find("[512]"), std::string::npos) << large;
}

}  // namespace
}  // namespace tilewire::passes
