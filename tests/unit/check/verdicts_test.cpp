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

// --- polls

const std::string tells_twice =
    "if me == 0:\n    pld.system.notify(s, 1, [0, 0], 1)\n    pld.tile.remote_store(t, w, 1, [0])\n"
    "    pld.system.notify(s, 1, [0, 0], 1)\n";
const std::string tells_once =
    "if me == 0:\n    pld.tile.remote_store(t, w, 1, [0])\n    pld.system.notify(s, 1, [0, 0], 1)\n";

TEST(Polls, ASecondQuestionIsAskedAtOnce) {
  Report report = run(tells_twice +
                      "else:\n    if not pld.system.test(s, [0, 0], 2):\n"
                      "        if pld.system.test(s, [0, 0], 1):\n            u = pl.load(w, [0], [4])");
  ASSERT_EQ(report.verdict, Verdict::Refuted) << text_of(report);
  EXPECT_EQ(report.findings[0].kind, Kind::Race);
}

TEST(Polls, ABoundedNumberOfTriesMayAllBeInVain) {
  const std::string tries = "else:\n    d = 0\n    for i in pl.range(3):\n        if d == 0:\n";
  Report report = run(tells_once + tries +
                      "            if pld.system.test(s, [0, 0], 1):\n                d = 1\n"
                      "    if d == 0:\n        u = pl.load(w, [0], [4])");
  EXPECT_EQ(report.verdict, Verdict::Refuted) << text_of(report);
  report = run(tells_once + "else:\n    n = pl.const(0, pl.INT32)\n    for i in pl.range(2):\n" +
               "        n = n + pl.read(s, [0, 0])\n    if n == 0:\n        u = pl.load(w, [0], [4])\n" +
               "    else:\n        pld.system.wait(s, [0, 0], 1)");
  EXPECT_EQ(report.verdict, Verdict::Refuted) << text_of(report);
}

TEST(Polls, OneThatRepeatsAStateWaitsForItsCells) {
  for (const char* poll :
       {"while not pld.system.test(s, [0, 0], 1):\n        me = me + 0\n",
        "d = 0\n    while d == 0:\n        if pld.system.test(s, [0, 0], 1):\n            d = 1\n"}) {
    Report report = run(tells_once + "else:\n    " + poll + "    u = pl.load(w, [0], [4])");
    EXPECT_EQ(decided(report), "proved, all 2 schedules that differ") << poll << text_of(report);
  }
  // Nothing is acquired by a read.
  Report report =
      run(tells_once +
          "else:\n    n = pl.const(0, pl.INT32)\n    while n < 1:\n        n = pl.read(s, [0, 0])\n"
          "    u = pl.load(w, [0], [4])");
  ASSERT_EQ(report.verdict, Verdict::Refuted);
  EXPECT_EQ(report.findings[0].kind, Kind::Race);
  report = run(tells_once +
               "else:\n    n = pl.const(0, pl.INT32)\n    while n < 1:\n        n = pl.read(s, [0, 0])\n"
               "    pld.system.wait(s, [0, 0], 1)\n    u = pl.load(w, [0], [4])");
  EXPECT_EQ(report.verdict, Verdict::Proved) << text_of(report);
}

TEST(Polls, OneThatNobodyAnswersIsADeadlock) {
  Report report =
      run("n = pl.const(0, pl.INT32)\nwhile n < 1:\n    n = pl.read(s, [0, 0]) + pl.read(s, [1, 0])");
  ASSERT_EQ(report.verdict, Verdict::Refuted) << text_of(report);
  EXPECT_EQ(report.findings[0].kind, Kind::Deadlock);
  EXPECT_NE(
      text_of(report).find("rank 1 in `k` reads `s[0, 0]` on rank 1 in a loop, it is 0; nothing notifies it"),
      std::string::npos)
      << text_of(report);
  // Whichever of the two cells it looked at first, the other may change meanwhile.
  report =
      run("if me == 0:\n    pld.system.notify(s, 1, [1, 0], 1)\nelse:\n    n = pl.const(0, pl.INT32)\n"
          "    while n < 1:\n        n = pl.read(s, [0, 0]) + pl.read(s, [1, 0])");
  EXPECT_EQ(report.verdict, Verdict::Proved) << text_of(report);
}

TEST(Polls, OneThatCountsIsExploredToTheLimit) {
  Options options{.ranks = 2};
  options.limits.schedules = 20;
  options.limits.random = 2;
  Report report =
      run("if me == 0:\n    pld.system.notify(s, 1, [0, 0], 1)\nelse:\n    n = pl.const(0, pl.INT32)\n"
          "    while not pld.system.test(s, [0, 0], 1):\n        n = n + 1\n    w = pl.write(w, [0], "
          "pl.cast(n, pl.FP32))",
          options);
  EXPECT_EQ(report.verdict, Verdict::Bounded) << text_of(report);
}

TEST(Polls, InAnOrchestrationFunction) {
  auto program = [](const std::string& told) {
    return read(R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def tell(self, s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        me = pld.rank(pld.get_comm_ctx(s))
        pld.system.notify(s, 1 - me, [0, 0], )" +
                told + R"()
    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, y: pl.InOut[pl.Tensor[[8], pl.INT32]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        self.tell(s)
        n = pl.read(s, [0, 0])
        while n < 1:
            n = pl.read(s, [0, 0])
        pl.write(y, [0], n)
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self, y: pl.InOut[pl.Tensor[[2, 8], pl.INT32]]):
        s = pld.alloc_signal(4)
        for r in pl.range(pld.world_size()):
            self.chip(y[r], s, device=r)
)");
  };
  std::vector<int32_t> y(16);
  const std::vector<interp::Argument> args{interp::Array{y.data(), ir::DType::Int32, {2, 8}, {}}};
  Report report = check(program("1"), "main", args, {.ranks = 2});
  EXPECT_EQ(report.verdict, Verdict::Proved) << text_of(report);
  report = check(program("0"), "main", args, {.ranks = 2});
  ASSERT_EQ(report.verdict, Verdict::Refuted) << text_of(report);
  EXPECT_EQ(report.findings[0].kind, Kind::Deadlock);
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
            Texts{"rank 1 in `k` waits for `s[0, 0]` on rank 1 >= 1, it is 0; nothing notifies it"});
}

TEST(Verdicts, AllNotifiesHaveBeenMade) {
  EXPECT_EQ(notes(run("pld.system.notify(s, 1, [0, 0], 1)\n"
                      "if me == 1:\n    pld.system.wait(s, [0, 0], 3)")),
            Texts{"rank 1 in `k` waits for `s[0, 0]` on rank 1 >= 3, it is 2; all 2 notifies of it have been "
                  "made, the "
                  "last by rank 1 in `k` on line 12"});
  EXPECT_EQ(
      notes(run("if me == 1:\n    pld.system.notify(s, 1, [0, 0], 1)\n    pld.system.wait(s, [0, 0], 2)")),
      Texts{"rank 1 in `k` waits for `s[0, 0]` on rank 1 >= 2, it is 1; its only notify has been made, by "
            "rank 1 "
            "in `k` on line 13"});
}

TEST(Verdicts, WhoWouldNotifyWaitsItself) {
  EXPECT_EQ(
      notes(run("if me == 0:\n    pld.system.wait(s, [0, 0], 1)\n    pld.system.notify(s, 1, [0, 0], 1)\n"
                "else:\n    pld.system.wait(s, [0, 0], 1)\n    pld.system.notify(s, 0, [0, 0], 1)")),
      (Texts{
          "rank 0 in `k` waits for `s[0, 0]` on rank 0 >= 1, it is 0; rank 1 in `k` notifies it on line 17, "
          "but waits on line 16",
          "rank 1 in `k` waits for `s[0, 0]` on rank 1 >= 1, it is 0; rank 0 in `k` notifies it on line 14, "
          "but waits on line 13"}));
}

TEST(Verdicts, WhoWaitsNotifiesItselfTooLate) {
  EXPECT_EQ(
      notes(run("if me == 0:\n    pld.system.wait(s, [0, 0], 1)\n    pld.system.notify(s, 0, [0, 0], 1)")),
      Texts{
          "rank 0 in `k` waits for `s[0, 0]` on rank 0 >= 1, it is 0; rank 0 in `k` notifies it on line 14, "
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
