// What is found, and in which words.
#include "check/check.h"

#include <gtest/gtest.h>

#include "interp/delays.h"
#include "protocols.h"

namespace tilewire::check::test {
namespace {

Report run(const std::string& text, Options options = {.ranks = 2}) {
  ir::ProgramRef program = read(text);
  return program ? check(program, "main", {}, options) : Report{};
}

// Verdict, then kind and message of each finding, a line each.
std::string summary(const Report& report) {
  std::string text(name(report.verdict));
  for (const Finding& finding : report.findings) {
    text += "\n" + std::string(name(finding.kind)) + ": " + finding.diagnostic.message;
  }
  return text;
}

const char* const hand_over =
    "if me == 0:\n    w = pl.store(t, [0], w)\n    pld.system.notify(s, 1, [0, 0], 1)\n"
    "else:\n    pld.system.wait(s, [0, 0], 1)\n    u = pld.tile.remote_load(w, 0, [0], [4])";

TEST(Check, ProvesAHandOver) {
  Report report = run(ranked(hand_over));
  EXPECT_EQ(summary(report), "proved");
  EXPECT_EQ(report.schedules, 1u);
  ASSERT_EQ(report.cells.size(), 1u);
  EXPECT_EQ(report.cells[0].name, "s[0, 0]");
  EXPECT_EQ(report.cells[0].kind, CellClass::Monotone);
  Options general{.ranks = 2, .general = true};
  EXPECT_EQ(summary(run(ranked(hand_over), general)), "proved");
}

TEST(Check, Races) {
  std::string text = hand_over;
  text.replace(text.find("1)\nelse"), 2, "0)");
  text.replace(text.find("[0, 0], 1)\n    u"), 10, "[0, 0], 0)");
  Report report = run(ranked(text));
  EXPECT_EQ(summary(report),
            "refuted\nrace: data race: unordered write and read of bytes 0 to 15 of `w` on rank 0");
  const Finding& race = report.findings.at(0);
  EXPECT_EQ(race.diagnostic.span.line, 13u);
  EXPECT_EQ(race.diagnostic.label, "rank 0 in `k` writes them");
  ASSERT_EQ(race.diagnostic.notes.size(), 1u);
  EXPECT_EQ(race.diagnostic.notes[0].text, "rank 1 in `k` reads them");
  EXPECT_EQ(race.diagnostic.notes[0].span.line, 17u);
  ASSERT_GE(race.story.size(), 2u);
  EXPECT_TRUE(race.story.back().last);
}

TEST(Check, DeadlocksAndUnnotifiedCells) {
  EXPECT_EQ(summary(run(ranked("if me == 1:\n    pld.system.wait(s, [0, 0], 1)"))),
            "refuted\ndeadlock: deadlock: 1 task is blocked and nothing can wake it");
  EXPECT_EQ(summary(run(ranked("pld.system.wait(s, [1, 0], 0)"))),
            "proved\nunnotified: unnotified wait: nothing notifies `s[1, 0]` on rank 0");
}

TEST(Check, OvershotEquality) {
  Report report = run(
      ranked("if me == 0:\n    pld.system.notify(s, 1, [0, 0], 1)\n    pld.system.notify(s, 1, [0, 0], 1)\n"
             "else:\n    pld.system.wait(s, [0, 0], 1, cmp=\"eq\")"));
  EXPECT_EQ(
      summary(report),
      "refuted\novershot: missed signal: `s[0, 0]` on rank 1 can pass 1 before this wait checks it, so the "
      "wait never returns");
  ASSERT_EQ(report.cells.size(), 1u);
  EXPECT_EQ(report.cells[0].why, "awaited with ==, added to by 1 rank");
}

TEST(Check, LostNotifies) {
  Report report = run(ranked(
      "pld.system.notify(s, 0, [0, 0], 1, op=\"set\")\nif me == 0:\n    pld.system.wait(s, [0, 0], 1)"));
  EXPECT_EQ(
      summary(report).substr(0, 100),
      std::string(
          "refuted\nlost: lost signal: `s[0, 0]` on rank 0 is set while another notify of it is in flight, "
          "so one of the two is lost")
          .substr(0, 100));
}

TEST(Check, BoundsAndWindows) {
  EXPECT_EQ(summary(run(ranked("u = pld.tile.remote_load(w, me, [me + 1], [4])"))),
            "refuted\nbounds: out of bounds: elements 1 to 4 are outside dimension 0, which has extent 4");
  EXPECT_EQ(summary(run(ranked("pld.system.notify(s, me + 1, [0, 0], 1)"))),
            "refuted\nbounds: out of bounds: rank 2 does not exist: there are 2");
  EXPECT_EQ(summary(run(R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[[8], pl.FP32]]):
        t = pl.load(w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        buf = pld.alloc_window_buffer(8 * pld.world_size())
        w = pld.window(buf, [8], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            self.k(w, device=r)
)")),
            "refuted\nwindow: window too small: a view of 32 bytes does not fit the window buffer `buf` of "
            "16 bytes");
}

TEST(Check, BlocksThatShareBytes) {
  const char* text = R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, y: pl.InOut[pl.Tensor[[1, 4], pl.FP32]]):
        pl.store(pl.full([1, 4], dtype=pl.FP32, value=1.0), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self):
        y = pl.create_tensor([1, 4], dtype=pl.FP32)
        with pl.spmd(2):
            self.k(y)
)";
  EXPECT_EQ(summary(run(text, {.ranks = 1})),
            "refuted\nshard: data race: two blocks of one launch write bytes 0 to 15 of `y`");
}

TEST(Check, RanksLeftOut) {
  std::string text = ranked("pld.system.notify(s, me, [0, 0], 1)");
  text += "        for r in pl.range(pld.world_size() - 1):\n            self.k(w, s, device=r)\n";
  Report report = run(text);
  EXPECT_EQ(report.verdict, Verdict::Invalid);
  ASSERT_TRUE(report.invalid);
  EXPECT_EQ(report.invalid->message,
            "missing dispatch: the loop that dispatches `k` leaves out rank 1, which shares `w`");
}

TEST(Check, Warnings) {
  EXPECT_EQ(summary(run(ranked("pld.system.notify(s, me, [0, 0], 1)"))),
            "proved\nunawaited: unawaited signal: nothing waits for `s[0, 0]` on rank 0");
  EXPECT_EQ(summary(run(ranked("pld.system.notify(s, me, [0, 0], 1)\npld.system.wait(s, [0, 0], 1)\n"
                               "pld.system.wait(s, [0, 0], 1)"))),
            "proved\nstale: stale wait: it returns at once, because `s[0, 0]` on rank 0 >= 1 was awaited "
            "before and "
            "`s[0, 0]` on rank 0 never falls below it");
  EXPECT_EQ(summary(run(ranked("pld.system.notify(s, me, [0, 0], 2)\npld.system.wait(s, [0, 0], 1)\n"
                               "pld.system.notify(s, me, [0, 0], -1)"))),
            "proved\nresidue: signal left over: `s[0, 0]` on rank 0 is reset but holds 1 at the end");
}

// Two ranks wait for each other through one shared counter: which adds a wait gets depends on the schedule.
TEST(Check, CountersThatSeveralAddTo) {
  const char* const body =
      "if me == 0:\n    w = pl.store(t, [0], w)\n"
      "pld.system.notify(s, 2, [0, 0], 1)\n"
      "if me == 2:\n    pld.system.wait(s, [0, 0], COUNT)\n    u = pld.tile.remote_load(w, 0, [0], [4])";
  auto with = [&](const char* count) {
    std::string text = body;
    return run(ranked(text.replace(text.find("COUNT"), 5, count)), {.ranks = 3});
  };
  EXPECT_EQ(summary(with("3")), "proved");
  EXPECT_EQ(with("2").verdict, Verdict::Refuted);
}

TEST(Check, CoresThatWaitsHold) {
  const char* text = R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def hold(self, s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        pld.system.wait(s, [0, 0], 1)

    @pl.function(type=pl.FunctionType.InCore)
    def tell(self, s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        pld.system.notify(s, pld.rank(pld.get_comm_ctx(s)), [0, 0], 1)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        self.tell(pl.no_dep(s))
        self.hold(pl.no_dep(s))

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        s = pld.alloc_signal(4)
        for r in pl.range(pld.world_size()):
            self.chip(s, device=r)
)";
  EXPECT_EQ(summary(run(text, {.ranks = 1})), "proved");
  EXPECT_EQ(summary(run(text, {.ranks = 1, .cores = 2})), "proved");
  // The order of submission is not an order of starts.
  EXPECT_EQ(summary(run(text, {.ranks = 1, .cores = 1})),
            "refuted\ndeadlock: deadlock: 2 tasks are blocked and nothing can wake them");
}

TEST(Check, SpinningOnACell) {
  EXPECT_EQ(
      summary(run(ranked("pld.system.notify(s, 1 - me, [0, 0], 1)\nwhile pl.read(s, [0, 0]) == 0:\n    me = "
                         "me + 0"))),
      "proved");
  EXPECT_EQ(run(ranked("while not pld.system.test(s, [0, 0], 1):\n    me = me + 0")).findings.at(0).kind,
            Kind::Deadlock);
}

// The value that a wait saw goes into data alone.
TEST(Check, ValuesThatDecideNothingLeaveTheExactTier) {
  const char* const body =
      "if me == 0:\n    pld.system.notify(s, 1, [0, 0], 1)\n    pld.system.notify(s, 1, [0, 0], 1)\n"
      "else:\n    seen = pld.system.wait(s, [0, 0], 1)\n    w = pl.store(t * pl.cast(seen, pl.FP32), [0], "
      "w)\n"
      "    u = pl.load(w, [0], [4])\n";
  Report report = run(ranked(body));
  EXPECT_EQ(summary(report), "proved");
  EXPECT_EQ(report.method.substr(0, 5), "exact");
  report = run(ranked(std::string(body) + "    if seen > 1:\n        me = me + 0"));
  EXPECT_EQ(report.method, "all 2 schedules that differ");
}

// A value that depends on the schedule decides who writes: one run does not say it all.
TEST(Check, ValuesThatDependOnTheScheduleAreSearched) {
  Report report =
      run(ranked("if me == 0:\n    pld.system.notify(s, 1, [0, 0], 1)\n"
                 "else:\n    if pld.system.test(s, [0, 0], 1):\n        me = me + 0"));
  EXPECT_EQ(summary(report), "proved");
  EXPECT_EQ(report.schedules, 2u);
}

TEST(Check, LimitsAreSaid) {
  Options options{.ranks = 3};
  options.general = true;
  options.limits.schedules = 3;
  options.limits.random = 5;
  Report report = run(ranked("for p in pl.range(n):\n    pld.system.notify(s, p, [0, 0], 1)\n"
                             "pld.system.wait(s, [0, 0], 1)"),
                      options);
  EXPECT_EQ(report.verdict, Verdict::Bounded);
  EXPECT_EQ(report.method, "not proved: 3 schedules, then 5 random ones (seed 1)");
}

// A schedule that was found makes the interpreter do the same again.
TEST(Check, SchedulesCanBeRepeated) {
  ir::ProgramRef program =
      read(ranked("if me == 0:\n    pld.system.wait(s, [0, 0], 1, cmp=\"eq\")\n"
                  "else:\n    pld.system.notify(s, 0, [0, 0], 1)\n    pld.system.notify(s, 0, [0, 0], 1)"));
  ASSERT_TRUE(program);
  Report report = check(program, "main", {}, {.ranks = 2});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].kind, Kind::Overshot);
  interp::Replay replay(report.findings[0].schedule);
  interp::RunOptions options;
  options.ranks = 2;
  options.full_order = true;
  Diagnostics diags;
  auto image = interp::Image::make(program, "main", diags);
  interp::World world(image, options);
  // The search lets notifies land on their own where somebody waits for equality.
  world.delay(std::make_shared<interp::Delays>(*image, [](const interp::Instr&) { return true; }));
  ASSERT_FALSE(interp::start(world, *program->find("main"), {}));
  interp::run(world, replay);
  ASSERT_TRUE(world.error());
  EXPECT_EQ(world.error()->kind, interp::RunError::Kind::Deadlock);
  EXPECT_TRUE(replay.followed());
  const Schedule& schedule = report.findings[0].replay;
  ASSERT_EQ(schedule.agents.size(), 2u);
  EXPECT_EQ(schedule.agents[1], (ScheduleAgent{{1, 0, 0, 0}, "k"}));
  options.granularity = interp::Granularity::Access;
  options.replay = &schedule;
  interp::RunResult result = interp::run(program, "main", {}, options);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->kind, interp::RunError::Kind::Deadlock) << result.error->text();
}

TEST(Check, ReportsAsJson) {
  std::string json = json_of({run(ranked("if me == 1:\n    pld.system.wait(s, [0, 0], 1)"))});
  EXPECT_NE(json.find("\"verdict\": \"refuted\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"kind\": \"deadlock\", \"error\": true, \"code\": 2502"), std::string::npos) << json;
}

}  // namespace
}  // namespace tilewire::check::test
