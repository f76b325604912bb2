// Collectives that not all ranks, or blocks, call alike: what is said about them.
#include "check/divergence.h"

#include <gtest/gtest.h>

#include "check/check.h"
#include "passes/pipeline.h"
#include "protocols.h"
#include "target/cpu/traits.h"

namespace tilewire::check::test {
namespace {

Report run(const std::string& text, Options options) {
  ir::ProgramRef program = read(text);
  Diagnostics diags;
  if (program) program = passes::lower(program, passes::for_checking(target::cpu::traits), diags);
  EXPECT_TRUE(program) << diags.text();
  return program ? check(program, "main", {}, options) : Report{};
}

// The first finding: its line, its message, and each note with its line.
std::string told(const Report& report) {
  if (report.findings.empty()) return std::string(name(report.verdict));
  const Finding& finding = report.findings.front();
  std::string text = std::string(name(finding.kind)) + " on line " +
                     std::to_string(finding.diagnostic.span.line) + ": " + finding.diagnostic.message;
  for (const auto& note : finding.diagnostic.notes) {
    text += "\n" + (note.span.line ? std::to_string(note.span.line) + ": " : "") + note.text;
  }
  return text;
}

std::string told(const std::string& body, int ranks = 3, bool general = false) {
  return told(run(ranked(body), {.ranks = ranks, .general = general}));
}

TEST(Divergence, SomeDoNotCall) {
  EXPECT_EQ(told("if me != 1:\n    pld.tensor.barrier(s)"),
            "divergent on line 13: divergent collective: ranks 0 and 2 call `barrier`, rank 1 does not\n"
            "rank 1 ends without another collective on `s`");
  EXPECT_EQ(told("for i in pl.range(me // 2 + 1):\n    pld.tensor.barrier(s)"),
            "divergent on line 13: divergent collective: rank 2 calls `barrier`, ranks 0 and 1 do not\n"
            "ranks 0 and 1 end without another collective on `s`");
}

TEST(Divergence, DifferentCalls) {
  EXPECT_EQ(told("if me == 0:\n    w = pld.tensor.allreduce(w, s, op=\"max\")\n"
                 "else:\n    w = pld.tensor.broadcast(w, s, root=2)"),
            "divergent on line 13: divergent collective: rank 0 calls `allreduce(op=max)` of `w`, "
            "ranks 1 "
            "and 2 call `broadcast` of `w` from rank 2\n"
            "15: ranks 1 and 2 call `broadcast` of `w` from rank 2");
}

TEST(Divergence, DifferentParts) {
  EXPECT_EQ(told("part = w[me % 2 * 2:me % 2 * 2 + 2]\npart = pld.tensor.allreduce(part, s)"),
            "divergent on line 13: divergent collective: ranks 0 and 2 call `allreduce` of [2] at "
            "byte 0 of "
            "`w`, rank 1 calls `allreduce` of [2] at byte 8 of `w`\n"
            "13: rank 1 calls `allreduce` of [2] at byte 8 of `w`");
}

// The barriers of rank 0 and those inside of the sum of rank 1 meet: nobody waits in vain, and it is wrong.
TEST(Divergence, ThatNobodyWouldNotice) {
  EXPECT_EQ(told("if me == 0:\n    pld.tensor.barrier(s)\n    pld.tensor.barrier(s)\n"
                 "else:\n    w = pld.tensor.broadcast(w, s, root=1)",
                 2),
            "divergent on line 13: divergent collective: rank 0 calls `barrier`, rank 1 calls "
            "`broadcast` of "
            "`w` from rank 1\n16: rank 1 calls `broadcast` of `w` from rank 1");
}

TEST(Divergence, OnlySomeSchedulesHaveIt) {
  const std::string body =
      "if me == 0:\n    pld.system.notify(w2, 1, [0, 0], 1)\n    pld.tensor.barrier(s)\n"
      "else:\n    if pld.system.test(w2, [0, 0], 1):\n        pld.tensor.barrier(s)";
  std::string text = ranked(body);
  for (size_t at; (at = text.find("w2")) != std::string::npos;) text.replace(at, 2, "c");
  auto insert = [&](const std::string& before, const std::string& what) {
    text.insert(text.find(before), what);
  };
  insert("):\n        ctx", ", c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]");
  insert("        for r in", "        c = pld.alloc_signal(4)\n");
  text.replace(text.find("self.k(w, s, device=r)"), 22, "self.k(w, s, c, device=r)");
  EXPECT_EQ(told(run(text, {.ranks = 2})),
            "divergent on line 14: divergent collective: rank 0 calls `barrier`, rank 1 does not\n"
            "rank 1 ends without another collective on `s`");
}

TEST(Divergence, BlocksOfALaunch) {
  const char* text = R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, s: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]]):
        if pl.tile.get_block_idx() != 1:
            pld.tensor.barrier(s)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        s = pld.alloc_signal(8)
        for r in pl.range(pld.world_size()):
            self.k(s, device=r, blocks=4)
)";
  EXPECT_EQ(told(run(text, {.ranks = 2})),
            "divergent on line 9: divergent collective: blocks 0, 2 and 3 of rank 0 call `barrier` by 4 "
            "blocks, block 1 of rank 0 does not\n"
            "block 1 of rank 0 ends without another collective on `s`");
}

TEST(Divergence, LaunchesOfDifferentSizes) {
  const char* text = R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, s: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]]):
        pld.tensor.barrier(s)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        s = pld.alloc_signal(8)
        for r in pl.range(pld.world_size()):
            self.k(s, device=r, blocks=r + 1)
)";
  EXPECT_EQ(told(run(text, {.ranks = 2})),
            "divergent on line 8: divergent collective: rank 0 calls `barrier`, rank 1 calls "
            "`barrier` by 2 "
            "blocks\n8: rank 1 calls `barrier` by 2 blocks");
}

TEST(Divergence, CollectivesOfTheHost) {
  const char* text = R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        if pld.rank(pld.get_comm_ctx(s)) == 0:
            pld.tensor.barrier(s)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        w = pld.alloc_window([4], dtype=pl.FP32)
        s = pld.alloc_signal(4)
        w = pld.tensor.allreduce(w, s)
        for r in pl.range(pld.world_size()):
            self.k(s, device=r)
        w = pld.tensor.allreduce(w, s)
)";
  EXPECT_EQ(told(run(text, {.ranks = 2})),
            "divergent on line 9: divergent collective: rank 0 calls `barrier`, rank 1 calls "
            "`allreduce` of "
            "`w`\n18: rank 1 calls `allreduce` of `w`");
}

// Where all call alike, what goes wrong is something else.
TEST(Divergence, IsNotEverythingThatGoesWrong) {
  EXPECT_EQ(told("pld.tensor.barrier(s)\nif me == 1:\n    w = pl.store(t, [0], w)\n"
                 "u = pld.tile.remote_load(w, 1, [0], [4])")
                .substr(0, 4),
            "race");
  EXPECT_EQ(told("if me == 1:\n    pld.system.wait(s, [3, 0], 1)\npld.tensor.barrier(s)").substr(0, 8),
            "deadlock");
}

}  // namespace
}  // namespace tilewire::check::test
