// Notifies that land after their agent has gone on: cells are coherent and release/acquire, not sequentially
// consistent.
#include <gtest/gtest.h>

#include "check/check.h"
#include "explorer.h"
#include "protocols.h"

namespace tilewire::check::test {
namespace {

// The verdict of both tiers, which every interleaving agrees with; "race" for a refuted one.
std::string verdict(const std::string& text, int ranks) {
  ir::ProgramRef program = read(text);
  if (!program) return "";
  Report report = check(program, "main", {}, {.ranks = ranks});
  Report general = check(program, "main", {}, {.ranks = ranks, .general = true});
  Explored all = explore(program, "main", ranks, 200000);
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(report.verdict, general.verdict) << text_of(report) << text_of(general);
  EXPECT_EQ(report.verdict == Verdict::Refuted, all.wrong()) << text_of(report) << all.text();
  return std::string(report.verdict == Verdict::Refuted ? name(report.findings[0].kind)
                                                        : name(report.verdict));
}

std::string both(const std::string& body, int ranks = 2) {
  return verdict(ranked(body), ranks);
}

const std::string set_flags =
    "pld.system.notify(s, 0, [me, 0], 1, op=\"set\")\npld.system.notify(s, 1, [me, 0], 1, op=\"set\")\n";
const std::string enter = "pld.tile.remote_store(t, w, 0, [0])\n";

TEST(Late, TwoFlagsExcludeNobody) {
  EXPECT_EQ(both(set_flags + "if not pld.system.test(s, [1 - me, 0], 1):\n    " + enter), "race");
  EXPECT_EQ(both(set_flags + "if pl.read(s, [1 - me, 0]) == 0:\n    " + enter), "race");
}

TEST(Late, TheFlagsHaveLandedWhenTheOtherSaysSo) {
  // Cell 2 and 3: the other has seen the flag.
  EXPECT_EQ(both(set_flags +
                 "pld.system.wait(s, [1 - me, 0], 1)\npld.system.notify(s, 1 - me, [2, 0], 1)\n"
                 "pld.system.wait(s, [2, 0], 1)\n"
                 "if not pld.system.test(s, [1 - me, 0], 1):\n    " +
                 enter),
            "proved");
}

TEST(Late, ItsOwnCellIsSeenAtOnce) {
  EXPECT_EQ(both("pld.system.notify(s, me, [0, 0], 1)\nif not pld.system.test(s, [0, 0], 1):\n    " + enter),
            "proved");
}

TEST(Late, OnesOfABlockLandInTheirOrder) {
  EXPECT_EQ(
      both("if me == 0:\n    pld.system.notify(s, 1, [0, 0], 1)\n    pld.system.notify(s, 1, [1, 0], 1)\n"
           "    if pld.system.test(s, [2, 0], 1):\n        t = pl.full([1, 4], dtype=pl.FP32, value=2.0)\n"
           "else:\n    if pld.system.test(s, [1, 0], 1):\n        if not pld.system.test(s, [0, 0], 1):\n"
           "            pld.tile.remote_store(t, w, 0, [0])\n"
           "if me == 0:\n    w = pl.store(t, [0], w)"),
      "proved");
}

TEST(Late, ThoseOfOneReleaseHaveNoOrder) {
  // Rank 2 has been told by rank 0 and tells rank 1, which may not have been.
  const std::string told =
      "if me == 0:\n    pld.system.notify_all(s, 1)\n"
      "if me == 2:\n    pld.system.wait(s, [0, 0], 1)\n    pld.system.notify(s, 1, [2, 0], 1)\n"
      "if me == 1:\n    pld.system.wait(s, [2, 0], 1)\n";
  EXPECT_EQ(both(told + "    if not pld.system.test(s, [0, 0], 1):\n        " + enter +
                     "if me == 0:\n    w = pl.store(t, [0], w)",
                 3),
            "race");
  EXPECT_EQ(
      both(told + "    pld.system.wait(s, [0, 0], 1)\n    if not pld.system.test(s, [0, 0], 1):\n        " +
               enter + "if me == 0:\n    w = pl.store(t, [0], w)",
           3),
      "proved");
}

TEST(Late, AcrossTasks) {
  EXPECT_EQ(verdict(R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def flag(self, s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        me = pld.rank(pld.get_comm_ctx(s))
        pld.system.notify(s, 1 - me, [me, 0], 1, op="set")
    @pl.function(type=pl.FunctionType.InCore)
    def look(self, w: pl.InOut[pld.DistributedTensor[[4], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        me = pld.rank(pld.get_comm_ctx(s))
        t = pl.full([1, 4], dtype=pl.FP32, value=1.0)
        if not pld.system.test(s, [1 - me, 0], 1):
            pld.tile.remote_store(t, w, 0, [0])
    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, w: pl.InOut[pld.DistributedTensor[[4], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        self.flag(s)
        self.look(w, s)
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        w = pld.alloc_window([4], dtype=pl.FP32)
        s = pld.alloc_signal(4)
        for r in pl.range(pld.world_size()):
            self.chip(w, s, device=r)
)",
                    2),
            "race");
}

TEST(Late, TheStorySaysWhatLandsLate) {
  Report report = check(read(ranked(set_flags + "if not pld.system.test(s, [1 - me, 0], 1):\n    " + enter)),
                        "main", {}, {.ranks = 2});
  EXPECT_NE(text_of(report).find("; this has not landed yet"), std::string::npos) << text_of(report);
  // A deadlock needs both answers, and then everything lands.
  report = check(read(ranked(set_flags + "if pld.system.test(s, [1 - me, 0], 1):\n"
                                         "    pld.system.notify(s, 1 - me, [3, 0], 1)\n"
                                         "else:\n    pld.system.wait(s, [3, 0], 1)")),
                 "main", {}, {.ranks = 2});
  EXPECT_NE(text_of(report).find("; it lands only here"), std::string::npos) << text_of(report);
}

}  // namespace
}  // namespace tilewire::check::test
