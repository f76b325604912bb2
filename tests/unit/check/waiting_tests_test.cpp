// Tests that are waits need no schedule of their own.
#include "interp/waiting_tests.h"

#include <gtest/gtest.h>

#include "check/check.h"
#include "explorer.h"
#include "interp/op_table.h"
#include "protocols.h"

namespace tilewire::check::test {
namespace {

// Of the tests of a program of ranks, how many are waits.
size_t waits(const std::string& body) {
  Diagnostics diags;
  auto image = interp::Image::make(read(ranked(body)), "main", diags);
  const interp::WaitingTests tests(*image);
  size_t count = 0;
  for (const auto& code : image->codes()) {
    for (const interp::Instr& instr : code->instrs) {
      if (instr.code == interp::Opcode::Op && instr.entry->polls) count += tests.contains(instr.node);
    }
  }
  return count;
}

const std::string store = "w = pl.store(t, [0], w)";

TEST(WaitingTests, AskAgainOrWaitForTheSame) {
  const std::string there = "i = 1 - me\n";
  const std::string test = "pld.system.test(s, [i, 0], 1)", wait = "pld.system.wait(s, [i, 0], 1)";
  EXPECT_EQ(waits(there + "if not " + test + ":\n    " + wait), 1u);
  EXPECT_EQ(waits(there + "while not " + test + ":\n    pass"), 1u);
  EXPECT_EQ(waits(there + "if " + test + ":\n    pass\nelse:\n    " + wait + "\n" + store), 1u);
  EXPECT_EQ(waits(there + "for i in pl.range(2):\n    if not " + test + ":\n        " + wait), 1u);
  EXPECT_EQ(waits(there + "if not pld.system.test(s, [i, 0], 1, cmp=\"gt\"):\n"
                          "    pld.system.wait(s, [i, 0], 1, cmp=\"gt\")"),
            1u);
}

TEST(WaitingTests, AnythingElseIsATest) {
  const std::string there = "i = 1 - me\n";
  const std::string test = "pld.system.test(s, [i, 0], 1)", wait = "pld.system.wait(s, [i, 0], 1)";
  // It does something else, or waits for something else.
  EXPECT_EQ(waits(there + "if " + test + ":\n    " + store), 0u);
  EXPECT_EQ(waits(there + "if not " + test + ":\n    " + store + "\n    " + wait), 0u);
  EXPECT_EQ(waits(there + "if not " + test + ":\n    " + wait + "\n    " + store), 0u);
  EXPECT_EQ(waits(there + "if not " + test + ":\n    pld.system.wait(s, [i, 0], 2)"), 0u);
  EXPECT_EQ(waits(there + "if not " + test + ":\n    pld.system.wait(s, [me, 0], 1)"), 0u);
  EXPECT_EQ(waits(there + "if not " + test + ":\n    pld.system.wait(s, [i, 0], 1, cmp=\"gt\")"), 0u);
  // The answer is used again, or what the wait has seen is.
  EXPECT_EQ(waits(there + "a = " + test + "\nif not a:\n    " + wait + "\nif a:\n    " + store), 0u);
  EXPECT_EQ(waits(there + "v = pl.const(1, pl.INT32)\nif not " + test + ":\n    v = " + wait +
                  "\npld.system.notify(s, me, [3, 0], v)"),
            0u);
  // A round has done something.
  EXPECT_EQ(waits(there + "while not " + test + ":\n    i = 1 - i"), 0u);
  EXPECT_EQ(waits(there + "while not " + test + ":\n    " + store), 0u);
  // What was true need not be so for ever.
  EXPECT_EQ(waits(there + "if not pld.system.test(s, [i, 0], 1, cmp=\"eq\"):\n"
                          "    pld.system.wait(s, [i, 0], 1, cmp=\"eq\")"),
            0u);
}

// Each rank tells the other and looks who has come before it waits: whatever they see, it is one schedule.
TEST(WaitingTests, MakeNoSchedules) {
  const std::string body =
      "pld.system.notify(s, 1 - me, [me, 0], 1)\ni = 1 - me\n"
      "if not pld.system.test(s, [i, 0], 1):\n    pld.system.wait(s, [i, 0], 1)\n"
      "t = pld.tile.remote_load(w, i, [0], [4])\n";
  for (const char* before : {"", "w = pl.store(t, [0], w)\n"}) {
    Report report = check(read(ranked(before + body)), "main", {}, {.ranks = 2});
    EXPECT_EQ(report.verdict, Verdict::Proved) << text_of(report);
    EXPECT_EQ(report.schedules, 1u);
    EXPECT_FALSE(explore(read(ranked(before + body)), "main", 2, 200000).wrong());
  }
  Report race = check(read(ranked(body + "w = pl.store(t, [0], w)")), "main", {}, {.ranks = 2});
  EXPECT_EQ(race.verdict, Verdict::Refuted);
}

// Nobody answers where rank 1 looks too early: a run stands at the wait, or before the test of the poll.
TEST(WaitingTests, StandAtTheWaitInADeadlock) {
  const std::string told = "if me == 0:\n    pld.system.notify(s, 1, [0, 0], 1)\n";
  const std::string answers =
      "else:\n    if pld.system.test(s, [0, 0], 1):\n        pld.system.notify(s, 0, [0, 0], 1)\n";
  const std::string test = "pld.system.test(s, [0, 0], 1)";
  for (const std::string& body : {"    if not " + test + ":\n        pld.system.wait(s, [0, 0], 1)\n",
                                  "    while not " + test + ":\n        pass\n"}) {
    EXPECT_EQ(waits(told + body + answers), 1u);
    Report report = check(read(ranked(told + body + answers)), "main", {}, {.ranks = 2});
    ASSERT_EQ(report.verdict, Verdict::Refuted);
    EXPECT_EQ(report.method, "schedule 2");
    EXPECT_EQ(report.findings[0].kind, Kind::Deadlock);
    const std::string text = text_of(report);
    EXPECT_NE(text.find("waits for `s[0, 0]` on rank 0 >= 1, it is 0"), std::string::npos) << text;
    EXPECT_NE(text.find("tests `s[0, 0]` on rank 0 >= 1 and sees 0"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tilewire::check::test
