// How it is decided: by which tier, from which values, and what is said about it.
#include <gtest/gtest.h>

#include "check/check.h"
#include "protocols.h"

namespace tilewire::check::test {
namespace {

Report run(const std::string& body, Options options = {.ranks = 2}) {
  ir::ProgramRef program = read(ranked(body));
  return program ? check(program, "main", {}, options) : Report{};
}

std::string decided(const Report& report) {
  return std::string(name(report.verdict)) + ", " + report.method;
}

// --- values that a wait or a look has seen

TEST(Verdicts, AValueThatIsTheSameInEverySchedule) {
  // One writer, one add: whatever the schedule, 3 is seen and decides what is sent on.
  Report report =
      run("if me == 0:\n    pld.system.notify(s, 1, [0, 0], 3)\n"
          "else:\n    v = pld.system.wait(s, [0, 0], 1)\n    pld.system.notify(s, 0, [1, 0], v)\n"
          "if me == 0:\n    pld.system.wait(s, [1, 0], 3)");
  EXPECT_EQ(decided(report).substr(0, 13), "proved, exact");
}

TEST(Verdicts, AValueThatIsNotGoesToTheSearch) {
  // A second add may come before or after the look: 3 or 5 is sent on.
  Report report =
      run("if me == 0:\n    pld.system.notify(s, 1, [0, 0], 3)\n    pld.system.notify(s, 1, [0, 0], 2)\n"
          "else:\n    v = pld.system.wait(s, [0, 0], 1)\n    pld.system.notify(s, 0, [1, 0], v)\n"
          "if me == 0:\n    pld.system.wait(s, [1, 0], 3)");
  EXPECT_EQ(decided(report), "proved, all 2 schedules that differ");
  report =
      run("if me == 0:\n    pld.system.notify(s, 1, [0, 0], 3)\n    pld.system.notify(s, 1, [0, 0], 2)\n"
          "else:\n    v = pld.system.wait(s, [0, 0], 1)\n    pld.system.notify(s, 0, [1, 0], v)\n"
          "if me == 0:\n    pld.system.wait(s, [1, 0], 4)");
  EXPECT_EQ(report.verdict, Verdict::Refuted);
}

TEST(Verdicts, ADifferenceThatIsRoundedAway) {
  // 6 or 7 is seen, and half of it, rounded down, is used.
  const std::string body =
      "if me == 0:\n    pld.system.notify(s, 1, [0, 0], 6)\n    pld.system.notify(s, 1, [0, 0], 1)\n"
      "else:\n    v = pld.system.wait(s, [0, 0], 2)\n    pld.system.notify(s, 0, [1, 0], v // 2)\n"
      "if me == 0:\n    pld.system.wait(s, [1, 0], 3)";
  EXPECT_EQ(decided(run(body)).substr(0, 13), "proved, exact");
  // 6 or 8: not the same half.
  std::string wrong = body;
  wrong.replace(wrong.find("[0, 0], 1)"), 10, "[0, 0], 2)");
  EXPECT_EQ(decided(run(wrong)), "proved, all 2 schedules that differ");
  wrong.replace(wrong.find("[1, 0], 3)"), 10, "[1, 0], 4)");
  EXPECT_EQ(run(wrong).verdict, Verdict::Refuted);
}

TEST(Verdicts, ADifferenceThatIsUsedLater) {
  // The half is the same, but the whole is used as well, two steps later.
  Report report =
      run("if me == 0:\n    pld.system.notify(s, 1, [0, 0], 6)\n    pld.system.notify(s, 1, [0, 0], 1)\n"
          "else:\n    v = pld.system.wait(s, [0, 0], 2)\n    pld.system.notify(s, 0, [1, 0], v // 2)\n"
          "    pld.system.notify(s, 0, [2, 0], v)\n"
          "if me == 0:\n    pld.system.wait(s, [1, 0], 3)\n    pld.system.wait(s, [2, 0], 6)");
  EXPECT_EQ(decided(report), "proved, all 2 schedules that differ");
}

TEST(Verdicts, AValueThatGoesThroughAnArrayOrMemory) {
  const std::string before =
      "if me == 0:\n    pld.system.notify(s, 1, [0, 0], 3)\n    pld.system.notify(s, 1, [0, 0], 2)\n"
      "else:\n    v = pld.system.wait(s, [0, 0], 1)\n";
  const std::string after =
      "    pld.system.notify(s, 0, [1, 0], x)\nif me == 0:\n    pld.system.wait(s, [1, 0], 4)";
  EXPECT_EQ(
      run(before + "    a = pl.array.create(2, pl.INT32)\n    a[0] = v\n    x = a[0]\n" + after).verdict,
      Verdict::Refuted);
  EXPECT_EQ(
      run(before +
          "    w = pl.write(w, [0], pl.cast(v, pl.FP32))\n    x = pl.cast(pl.read(w, [0]), pl.INT32)\n" +
          after)
          .verdict,
      Verdict::Refuted);
}

TEST(Verdicts, LooksThatComeAfterEveryWrite) {
  const std::string body =
      "if me == 0:\n    pld.system.notify(s, 1, [0, 0], 1)\n    pld.system.notify(s, 1, [1, 0], 1)\n"
      "else:\n    pld.system.wait(s, [1, 0], 1)\n"
      "    if pld.system.test(s, [0, 0], 1):\n        w = pl.store(t, [0], w)\n"
      "    if pl.read(s, [0, 0]) == 1:\n        w = pl.store(t, [0], w)";
  EXPECT_EQ(decided(run(body)).substr(0, 13), "proved, exact");
  std::string early = body;
  early.replace(early.find("    pld.system.wait(s, [1, 0], 1)\n"), 34, "");
  EXPECT_EQ(decided(run(early)).substr(0, 11), "proved, all");
}

TEST(Verdicts, CellsThatAreWrittenAsData) {
  // The store takes the signal back before the second wait: an exact answer from the notifies alone is wrong.
  Report report =
      run("if me == 0:\n    pld.system.notify(s, 1, [0, 0], 1)\n"
          "else:\n    pld.system.wait(s, [0, 0], 1)\n    pl.write(s, [0, 0], 0)\n"
          "    pld.system.wait(s, [0, 0], 1)");
  ASSERT_EQ(report.verdict, Verdict::Refuted);
  EXPECT_EQ(report.findings[0].kind, Kind::Deadlock);
  EXPECT_EQ(report.cells[0].kind, CellClass::General);
  EXPECT_EQ(report.cells[0].why, "awaited with >=, added to by 1 rank, written as data");
}

// --- who could still have met a wait

std::vector<std::string> notes(const Report& report) {
  std::vector<std::string> texts;
  if (report.findings.empty()) return texts;
  for (const auto& note : report.findings[0].diagnostic.notes) texts.push_back(note.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Verdicts, NobodyNotifies) {
  EXPECT_EQ(notes(run("if me == 1:\n    pld.system.wait(s, [0, 0], 1)")),
            Texts{"rank 1 in `k` waits for `s[0]` of rank 1 >= 1, it is 0; nobody notifies it"});
}

TEST(Verdicts, AllNotifiesHaveBeenMade) {
  EXPECT_EQ(
      notes(run("pld.system.notify(s, 1, [0, 0], 1)\n"
                "if me == 1:\n    pld.system.wait(s, [0, 0], 3)")),
      Texts{
          "rank 1 in `k` waits for `s[0]` of rank 1 >= 3, it is 2; all 2 notifies of it have been made, the "
          "last by rank 1 in `k` on line 12"});
  EXPECT_EQ(
      notes(run("if me == 1:\n    pld.system.notify(s, 1, [0, 0], 1)\n    pld.system.wait(s, [0, 0], 2)")),
      Texts{
          "rank 1 in `k` waits for `s[0]` of rank 1 >= 2, it is 1; its only notify has been made, by rank 1 "
          "in `k` on line 13"});
}

TEST(Verdicts, WhoWouldNotifyWaitsItself) {
  EXPECT_EQ(
      notes(run("if me == 0:\n    pld.system.wait(s, [0, 0], 1)\n    pld.system.notify(s, 1, [0, 0], 1)\n"
                "else:\n    pld.system.wait(s, [0, 0], 1)\n    pld.system.notify(s, 0, [0, 0], 1)")),
      (Texts{"rank 0 in `k` waits for `s[0]` of rank 0 >= 1, it is 0; rank 1 in `k` notifies it on line 17, "
             "but waits on line 16",
             "rank 1 in `k` waits for `s[0]` of rank 1 >= 1, it is 0; rank 0 in `k` notifies it on line 14, "
             "but waits on line 13"}));
}

TEST(Verdicts, WhoWaitsNotifiesItselfTooLate) {
  EXPECT_EQ(
      notes(run("if me == 0:\n    pld.system.wait(s, [0, 0], 1)\n    pld.system.notify(s, 0, [0, 0], 1)")),
      Texts{"rank 0 in `k` waits for `s[0]` of rank 0 >= 1, it is 0; rank 0 in `k` notifies it on line 14, "
            "after this wait"});
}

// --- random schedules

TEST(Verdicts, RandomSchedulesFindWhatTheLimitCutsOff) {
  Options options{.ranks = 3};
  options.limits.schedules = 1;
  options.limits.random = 100;
  const std::string body =
      "if me == 0:\n    pld.system.wait(s, [0, 0], 1, cmp=\"eq\")\n"
      "else:\n    pld.system.notify(s, 0, [0, 0], 1)";
  Report report = run(body, options);
  EXPECT_EQ(report.verdict, Verdict::Refuted) << report.method;
  Report again = run(body, options);
  EXPECT_EQ(report.method, again.method);
  EXPECT_EQ(report.findings.at(0).schedule, again.findings.at(0).schedule);
}

// --- the search

// Ranks 1 and 2 have both to be told before rank 0 looks, and that needs three looks in one order: an agent
// that is to go first may be asleep, while another, which has to go before it, is not.
TEST(Verdicts, OrdersThatOtherOrdersLeadTo) {
  Report report = run(
      "if me == 0:\n    pld.system.wait(s, [0, 0], 1, cmp=\"le\")\n    pld.system.notify(s, 1, [0, 0], 1)\n"
      "if me == 1:\n    pld.system.notify(s, 2, [0, 0], 2)\n"
      "    if pld.system.test(s, [0, 0], 1):\n        pld.system.notify(s, 0, [0, 0], 1)\n"
      "if me == 2:\n    pld.system.notify(s, 0, [0, 0], 1)\n"
      "    if pld.system.test(s, [0, 0], 1, cmp=\"lt\"):\n        pld.system.notify(s, 1, [0, 0], 1)",
      {.ranks = 3});
  ASSERT_EQ(report.verdict, Verdict::Refuted) << report.method;
  EXPECT_EQ(report.findings.at(0).kind, Kind::Deadlock);
}

// --- without the reduction

TEST(Verdicts, EveryOrderOfSteps) {
  const std::string body =
      "pld.system.notify(s, 1 - me, [0, 0], 1)\npld.system.wait(s, [0, 0], 1)\n"
      "pld.system.notify(s, 1 - me, [1, 0], 1)\npld.system.wait(s, [1, 0], 1)";
  Options options{.ranks = 2, .general = true};
  Report reduced = run(body, options);
  options.limits.reduce = false;
  Report all = run(body, options);
  EXPECT_EQ(reduced.verdict, Verdict::Proved);
  EXPECT_EQ(all.verdict, Verdict::Proved);
  EXPECT_LT(reduced.schedules * 10, all.schedules);
  EXPECT_LT(reduced.states * 10, all.states);
}

}  // namespace
}  // namespace tilewire::check::test
