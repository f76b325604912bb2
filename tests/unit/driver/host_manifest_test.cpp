// The communication manifest of a host function.
#include <gtest/gtest.h>

#include "driver/host/call_values.h"
#include "driver/host/host_analysis.h"
#include "frontend/frontend.h"

namespace tilewire::driver {
namespace {

// A host function with this body, whose buffers are in one group.
ir::ProgramRef program_with(const std::string& slots, const std::string& body) {
  std::string text = R"(import tilewire.language as pl
import tilewire.language.distributed as pld
N = pl.dynamic("N")
STEPS = pl.dynamic("steps")

@pl.program
class P:
    pld.comm_group(devices=[], slots=[)" +
                     slots + R"(])

    @pl.function(type=pl.FunctionType.InCore)
    def touch(self, w: pl.InOut[pld.DistributedTensor[[1], pl.INT32]]):
        pl.write(w, [0], 1)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[N, STEPS, 64], pl.FP32], n: pl.Scalar[pl.INT32], steps: pl.Scalar[pl.INT64]):
)" + body;
  Diagnostics diags;
  auto program = frontend::read_program(frontend::make_source("p.py", text), {}, diags);
  EXPECT_TRUE(program) << diags.text();
  return program;
}

std::optional<runtime::Manifest> manifest_of(const ir::ProgramRef& program, const char* entry,
                                             std::optional<int64_t> ranks, Diagnostics& diags) {
  const Signature signature(program->find(entry));
  return HostAnalysis(signature, *program).manifest(*program, ranks, diags);
}

std::string size_of(const std::string& body, std::optional<int64_t> ranks = {}) {
  auto program = program_with("\"buf\"", body);
  if (!program) return "";
  Diagnostics diags;
  auto manifest = manifest_of(program, "host", ranks, diags);
  if (!manifest) return diags.text();
  return manifest->groups.at(0).slots.at(0).size.text();
}

// The shape of its views: "4, world_size() of 4 bytes".
std::string shape_of(const std::string& views) {
  auto program = program_with("\"buf\"", "        buf = pld.alloc_window_buffer(4096)\n" + views);
  if (!program) return "";
  Diagnostics diags;
  auto manifest = manifest_of(program, "host", {}, diags);
  if (!manifest) return diags.text();
  std::string text;
  const runtime::Manifest::Slot& slot = manifest->groups.at(0).slots.at(0);
  for (const auto& dimension : slot.shape) text += (text.empty() ? "" : ", ") + dimension.text();
  return text + " of " + std::to_string(slot.element_bytes) + " bytes";
}

TEST(HostManifest, KnowsTheShapeOfViewsThatAgree) {
  const std::string column = "        a = pld.window(buf, [pld.world_size(), 1], dtype=pl.INT32)\n";
  EXPECT_EQ(shape_of(column), "world_size(), 1 of 4 bytes");
  EXPECT_EQ(shape_of(column + "        b = pld.window(buf, [pld.world_size(), 1], dtype=pl.INT32)\n"),
            "world_size(), 1 of 4 bytes");
  EXPECT_EQ(shape_of(column + "        b = pld.window(buf, [1, pld.world_size()], dtype=pl.INT32)\n"),
            " of 4 bytes");
  EXPECT_EQ(shape_of(column + "        b = pld.window(buf, [pld.world_size(), 1], dtype=pl.FP16)\n"),
            " of 4 bytes");
  EXPECT_EQ(shape_of("        a = pld.window(buf, [8, 64], dtype=pl.FP16)\n"), "8, 64 of 2 bytes");
  EXPECT_EQ(shape_of(""), " of 4 bytes");
}

TEST(HostManifest, WritesSizesAsExpressions) {
  EXPECT_EQ(size_of("        buf = pld.alloc_window_buffer(4096)\n"), "4096");
  EXPECT_EQ(size_of("        buf = pld.alloc_window_buffer([16, 64], dtype=pl.FP32)\n"), "4096");
  EXPECT_EQ(size_of("        buf = pld.alloc_window_buffer(4 * pld.world_size())\n"), "4 * world_size()");
  EXPECT_EQ(size_of("        p = pld.world_size()\n"
                    "        rows = (p + N) // 2 - (n - 1)\n"
                    "        buf = pld.alloc_window_buffer(-rows % 8 * min(rows, 4))\n"),
            "-((world_size() + N) // 2 - (n - 1)) % 8 * min((world_size() + N) // 2 - (n - 1), 4)");
  EXPECT_EQ(size_of("        buf = pld.alloc_window_buffer([pld.world_size(), 16], dtype=pl.BF16)\n"),
            "world_size() * 16 * 2");
  EXPECT_EQ(size_of("        buf = pld.alloc_window_buffer(4 * pl.dim(x, 0))\n"), "4 * N");
}

TEST(HostManifest, PutsInTheRankCount) {
  EXPECT_EQ(size_of("        buf = pld.alloc_window_buffer(4 * pld.world_size() + 8)\n", 3), "20");
  EXPECT_EQ(size_of("        buf = pld.alloc_window_buffer(N * pld.world_size())\n", 3), "N * 3");
}

TEST(HostManifest, RefusesWhatOnlyTheHostFunctionKnows) {
  EXPECT_EQ(size_of("        b = 64\n"
                    "        for i in pl.range(n):\n"
                    "            b = b + 4\n"
                    "        buf = pld.alloc_window_buffer(b)\n"),
            "error[TW2417]: the size of window buffer `buf` must follow from the arguments before the host "
            "function runs, but it depends on `b`, which a loop or branch decides\n"
            "  --> p.py:19:9\n"
            "   |\n"
            "19 |         buf = pld.alloc_window_buffer(b)\n"
            "   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n");
  EXPECT_NE(size_of("        buf = pld.alloc_window_buffer(n ** 2)\n")
                .find("`pl.scalar.pow` does not occur in sizes"),
            std::string::npos);
  EXPECT_NE(size_of("        buf = pld.alloc_window_buffer(4 * steps)\n")
                .find("`steps` is both a dimension and a parameter"),
            std::string::npos);
  std::string doubling = "        b0 = n + 1\n";
  for (int i = 0; i < 40; ++i) {
    doubling +=
        "        b" + std::to_string(i + 1) + " = b" + std::to_string(i) + " + b" + std::to_string(i) + "\n";
  }
  EXPECT_NE(size_of(doubling + "        buf = pld.alloc_window_buffer(b40)\n")
                .find("this one is too long to be kept"),
            std::string::npos);
}

TEST(HostManifest, KeepsTheGroupsOfTheHostFunction) {
  auto program = program_with("\"data_buf\", \"sig\"",
                              "        data_buf = pld.alloc_window_buffer([1, 8], dtype=pl.FP32)\n"
                              "        sig = pld.alloc_window_buffer(4 * pld.world_size())\n");
  ASSERT_TRUE(program);
  Diagnostics diags;
  auto manifest = manifest_of(program, "host", {}, diags);
  ASSERT_TRUE(manifest) << diags.text();
  ASSERT_EQ(manifest->groups.size(), 1U);
  ASSERT_EQ(manifest->groups[0].slots.size(), 2U);
  EXPECT_EQ(manifest->groups[0].slots[1].offset, 64U);
  EXPECT_FALSE(manifest->groups[0].bytes);
  auto none = manifest_of(program, "touch", {}, diags);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->groups.empty());
}

TEST(HostManifest, GivesTheNamesTheirValues) {
  auto program = program_with("\"buf\"", "        buf = pld.alloc_window_buffer(n)\n");
  ASSERT_TRUE(program);
  Signature signature(program->find("host"));
  BoundArguments arguments;
  arguments.values = {Array{}, Number(int64_t{5}), Number(int64_t{7})};
  arguments.dimensions = {{"N", 3}};
  EXPECT_EQ(size_names(signature, arguments), (runtime::SizeNames{{"N", 3}, {"n", 5}, {"steps", 7}}));
}

}  // namespace
}  // namespace tilewire::driver
