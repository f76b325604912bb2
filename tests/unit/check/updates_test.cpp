// Atomic updates that return the old value: what they order, and what may happen in between.
#include <gtest/gtest.h>

#include "check/check.h"
#include "explorer.h"
#include "protocols.h"

namespace tilewire::check::test {
namespace {

// What both tiers and every interleaving say: "proved", or the kinds of all errors there are.
std::string verdict(const std::string& body, int ranks = 2) {
  ir::ProgramRef program = read(ranked(body));
  if (!program) return "";
  const Explored all = explore(program, "main", ranks, 200000);
  EXPECT_TRUE(all.complete);
  for (bool general : {false, true}) {
    const Report report = check(program, "main", {}, {.ranks = ranks, .general = general});
    EXPECT_EQ(report.verdict, all.wrong() ? Verdict::Refuted : Verdict::Proved)
        << text_of(report) << all.text();
    if (report.verdict != Verdict::Refuted) continue;
    EXPECT_NE(all.text().find(name(report.findings[0].kind)), std::string::npos)
        << text_of(report) << all.text();
  }
  return all.wrong() ? all.text().substr(1) : "proved";
}

const std::string first = "v = pld.system.fetch_add(s, 0, [0, 0], 1)\n";
const std::string enter = "pld.tile.remote_store(t, w, 0, [0])\n";

TEST(Updates, OneIsFirst) {
  EXPECT_EQ(verdict(first + "if v == 0:\n    " + enter), "proved");
  EXPECT_EQ(verdict(first + "if v >= 0:\n    " + enter), "race");
  EXPECT_EQ(verdict("v = pld.system.compare_exchange(s, 0, [0, 0], 0, me + 1)\nif v == 0:\n    " + enter),
            "proved");
}

TEST(Updates, TheSecondHasSeenTheFirst) {
  // Both write, but the second only where it has seen the other's release.
  EXPECT_EQ(verdict("if me == 0:\n    " + enter + "    pld.system.fetch_add(s, 0, [0, 0], 1)\nelse:\n    " +
                    first + "    if v == 1:\n        " + enter),
            "proved");
  // What came before an addition is known to who uses what was there, and to nobody else.
  EXPECT_EQ(verdict("if me == 0:\n    " + enter + "    pld.system.fetch_add(s, 0, [0, 0], 1)\nelse:\n" +
                    "    pld.system.fetch_add(s, 0, [0, 0], 1)\n    " + enter),
            "race");
}

TEST(Updates, ACompareThatFailsAcquires) {
  EXPECT_EQ(
      verdict("if me == 0:\n    " + enter + "    pld.system.notify(s, 0, [0, 0], 5)\nelse:\n" +
              "    v = pld.system.compare_exchange(s, 0, [0, 0], 7, 8)\n    if v == 5:\n        " + enter),
      "proved");
}

TEST(Updates, ACompareThatFailsReleasesNothing) {
  // Rank 1 sees 1 whether or not rank 0 has tried, so it knows nothing of its write.
  EXPECT_EQ(
      verdict("if me == 0:\n    " + enter + "    pld.system.compare_exchange(s, 1, [0, 0], 7, 8)\nelse:\n" +
              "    pld.system.notify(s, 1, [0, 0], 1)\n    pld.system.wait(s, [0, 0], 1)\n    " + enter),
      "race");
}

TEST(Updates, ALock) {
  const std::string lock = "while pld.system.compare_exchange(s, 0, [0, 0], 0, 1) != 0:\n    pass\n";
  for (const char* unlock :
       {"pld.system.notify(s, 0, [0, 0], 0, op=\"set\")", "pld.system.fetch_add(s, 0, [0, 0], -1)",
        "pld.system.compare_exchange(s, 0, [0, 0], 1, 0)"}) {
    EXPECT_EQ(verdict(lock + enter + unlock), "proved") << unlock;
  }
  EXPECT_EQ(verdict(lock + enter), "deadlock");
  EXPECT_EQ(
      verdict("while pl.read(s, [0, 0]) != 0:\n    pass\npld.system.fetch_add(s, 0, [0, 0], 1)\n" + enter),
      "race deadlock");  // rank 0 never gives it back
}

TEST(Updates, ATicketLock) {
  const std::string serve = "pld.system.notify(s, 0, [1, 0], 1)\npld.system.notify(s, 1, [1, 0], 1)\n";
  EXPECT_EQ(verdict(first + "pld.system.wait(s, [1, 0], v)\n" + enter + serve), "proved");
  EXPECT_EQ(verdict(first + "pld.system.wait(s, [1, 0], v - 1)\n" + enter + serve), "race");
  EXPECT_EQ(verdict(first + "pld.system.wait(s, [1, 0], v + 1)\n" + enter + serve), "deadlock");
}

TEST(Updates, TheyTakeEffectAtOnce) {
  // Two flags by notifies exclude nobody; by updates one sees the other.
  EXPECT_EQ(verdict("pld.system.fetch_add(s, me, [0, 0], 1)\n"
                    "if pld.system.fetch_add(s, 1 - me, [0, 0], 0) == 0:\n    " +
                    enter),
            "proved");
  EXPECT_EQ(verdict("pld.system.notify(s, me, [0, 0], 1)\n"
                    "if pld.system.compare_exchange(s, 1 - me, [0, 0], 7, 8) == 0:\n    " +
                    enter),
            "race");
  // An update releases, so the notify has landed when it does.
  EXPECT_EQ(verdict("pld.system.notify(s, me, [0, 0], 1)\npl.atomic_add(s, [3, 0], 1)\n"
                    "if pld.system.compare_exchange(s, 1 - me, [0, 0], 7, 8) == 0:\n    " +
                    enter),
            "proved");
}

TEST(Updates, ASetThatTheUpdateHasNotSeenIsLost) {
  EXPECT_EQ(verdict("if me == 0:\n    pld.system.notify(s, 0, [0, 0], 4, op=\"set\")\nelse:\n    " + first +
                    "    if v == 9:\n        " + enter),
            "lost");
}

TEST(Updates, OtherAccessesRace) {
  const std::string add = "pld.system.fetch_add(s, 0, [0, 0], 1)\n";
  EXPECT_EQ(verdict(add + "if me == 0:\n    s = pl.write(s, [0, 0], pl.const(1, pl.INT32))"), "race");
  EXPECT_EQ(verdict(add + "if me == 0:\n    u = pl.load(s, [0, 0], [1, 1])"), "race");
  EXPECT_EQ(verdict(add + "if me == 0:\n    u = pl.read(s, [0, 0])"), "proved");
}

TEST(Updates, WhatAReadSeesOfAdditionsDependsOnTheSchedule) {
  ir::ProgramRef program = read(R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1], pl.INT32]]):
        pld.system.fetch_add(s, 0, [0, 0], 1)
        y = pl.write(y, [0], pl.read(s, [0, 0]))
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self, y: pl.Out[pl.Tensor[[2, 1], pl.INT32]]):
        s = pld.alloc_signal(4)
        for r in pl.range(pld.world_size()):
            self.k(s, y[r], device=r)
)");
  ASSERT_TRUE(program);
  int32_t y[2] = {};
  const interp::Argument argument = interp::Array{y, ir::DType::Int32, {2, 1}, {}};
  const Report report = check(program, "main", std::span(&argument, 1), {.ranks = 2});
  EXPECT_EQ(report.verdict, Verdict::Proved);
  ASSERT_EQ(report.findings.size(), 1u) << text_of(report);
  EXPECT_EQ(report.findings[0].kind, Kind::Schedule);
}

TEST(Updates, ALoopThatAddsNothingRepeatsItself) {
  EXPECT_EQ(verdict("pld.system.fetch_add(s, 0, [0, 0], 1)\n"
                    "while pld.system.fetch_add(s, 0, [0, 0], 0) < 2:\n    pass\nif me == 1:\n    " +
                    enter),
            "proved");
  EXPECT_EQ(verdict("while pld.system.fetch_add(s, 0, [0, 0], 0) < 1:\n    pass"), "deadlock");
}

}  // namespace
}  // namespace tilewire::check::test
