// How many ranks a call has: what fixes the number, and what is said when nothing does.
#include <gtest/gtest.h>

#include "driver/host/host_analysis.h"
#include "frontend/frontend.h"

namespace tilewire::driver {
namespace {

// A host function over x: [NR, 8] and a scalar k, with this body; `touch(w, device=)` is there to dispatch.
struct Host {
  explicit Host(const std::string& body) {
    std::string text = R"(import tilewire.language as pl
import tilewire.language.distributed as pld
NR = pl.dynamic("NR")

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def touch(self, w: pl.InOut[pld.DistributedTensor[[8], pl.FP32]]):
        pl.write(w, [0], 1.0)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 8], pl.FP32], k: pl.Scalar[pl.INT64]):
        n = pld.world_size()
        w = pld.alloc_window([8], dtype=pl.FP32)
)" + body;
    Diagnostics diags;
    program = frontend::read_program(frontend::make_source("p.py", text), {}, diags);
    EXPECT_TRUE(program) << diags.text();
  }

  // "4", or the first line of what is reported.
  std::string ranks(int64_t rows, int64_t k, std::optional<int64_t> asked = {}) const {
    Signature signature(program->find("host"));
    Array x;
    x.data = data.data();
    x.shape = {rows, 8};
    x.strides = dense_strides(x.shape);
    Diagnostics diags;
    auto bound = signature.bind({x, Number(k)}, {}, diags);
    EXPECT_TRUE(bound) << diags.text();
    auto count = HostAnalysis(signature, *program).ranks(asked, *bound, diags);
    EXPECT_NE(count.has_value(), diags.has_errors());
    return count ? std::to_string(*count) : diags.all().front().message;
  }

  ir::ProgramRef program;
  mutable std::vector<float> data = std::vector<float>(1024);
};

const char* const over = "        for r in pl.range(";
const char* const touch = "):\n            self.touch(w, device=r)\n";

TEST(Ranks, FollowFromConstantDispatches) {
  EXPECT_EQ(Host("        self.touch(w, device=2)\n        self.touch(w, device=0)\n").ranks(9, 0), "3");
  EXPECT_EQ(Host(over + std::string("1, 8, 3") + touch).ranks(9, 0), "8");
  EXPECT_EQ(Host(over + std::string("6, 0, -1") + touch).ranks(9, 0), "7");
}

TEST(Ranks, FollowFromDimensionsAndScalars) {
  EXPECT_EQ(Host(over + std::string("NR") + touch).ranks(5, 0), "5");
  EXPECT_EQ(Host(over + std::string("k * 2") + touch).ranks(5, 3), "6");
  EXPECT_EQ(Host("        m = NR + k\n" + (over + std::string("m - 1") + touch)).ranks(5, 3), "7");
}

TEST(Ranks, FollowFromComparisonsAndStaging) {
  std::string all = over + std::string("n") + touch;
  EXPECT_EQ(Host("        if NR == n:\n            self.touch(w, device=0)\n" + all).ranks(5, 0), "5");
  EXPECT_EQ(
      Host("        v = pld.alloc_window_buffer([8], dtype=pl.FP32, load_from_host=x)\n" + all).ranks(6, 0),
      "6");
}

TEST(Ranks, NothingSays) {
  EXPECT_EQ(Host(over + std::string("n") + touch).ranks(5, 0), "the number of ranks of `host` is unknown");
  EXPECT_EQ(
      Host("        if n > 4:\n            self.touch(w, device=0)\n" + (over + std::string("n") + touch))
          .ranks(5, 0),
      "the number of ranks of `host` is unknown");
  EXPECT_EQ(Host(over + std::string("min(NR, n)") + touch).ranks(5, 0),
            "the number of ranks of `host` is unknown");
}

TEST(Ranks, AskedFor) {
  EXPECT_EQ(Host(over + std::string("n") + touch).ranks(5, 0, 7), "7");
  EXPECT_EQ(Host(over + std::string("n") + touch).ranks(5, 0, 0),
            "invalid number of ranks: a run cannot have 0");
  EXPECT_EQ(Host(over + std::string("n") + touch).ranks(5, 0, abi::most_ranks + 1),
            "invalid number of ranks: a run cannot have 65537");
  EXPECT_EQ(Host(over + std::string("NR") + touch).ranks(5, 0, 5), "5");
  EXPECT_EQ(Host(over + std::string("NR") + touch).ranks(5, 0, 4),
            "`touch` is dispatched once for each of `NR`, which is 5, but the run has 4 ranks");
  EXPECT_EQ(Host("        v = pld.alloc_window_buffer([8], dtype=pl.FP32, load_from_host=x)\n" +
                 (over + std::string("n") + touch))
                .ranks(5, 0, 4),
            "`x` has 5 rows, but the run has 4 ranks");
}

TEST(Ranks, DimensionsThatCountThem) {
  auto dimensions = [](const std::string& body) {
    Host host(body);
    const Signature signature(host.program->find("host"));
    return HostAnalysis(signature, *host.program).rank_dimensions();
  };
  EXPECT_EQ(dimensions(over + std::string("NR") + touch), std::vector<std::string>{"NR"});
  EXPECT_TRUE(dimensions(over + std::string("n") + touch).empty());
}

}  // namespace
}  // namespace tilewire::driver
