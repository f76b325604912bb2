// Schedules of findings have only the steps that the error needs.
#include "check/shorten.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "check/check.h"
#include "interp/code.h"
#include "interp/interp.h"
#include "protocols.h"

namespace tilewire::check::test {
namespace {

Report run(const std::string& body, int ranks) {
  ir::ProgramRef program = read(ranked(body));
  return program ? check(program, "main", {}, {.ranks = ranks}) : Report{};
}

size_t steps_of(const Finding& finding, int rank) {
  return static_cast<size_t>(std::count_if(finding.story.begin(), finding.story.end(),
                                           [&](const Step& step) { return step.rank == rank; }));
}

TEST(Shorten, RacesNeedNoOtherRanks) {
  const Report report =
      run("pld.system.notify(s, (me + 1) % n, [me, 0], 1)\npld.tile.remote_store(t, w, 0, [0])", 4);
  ASSERT_EQ(report.verdict, Verdict::Refuted);
  const Finding& race = report.findings.at(0);
  EXPECT_EQ(race.kind, Kind::Race);
  EXPECT_EQ(race.story.size(), 4u);  // two ranks, each with its notify and its write
  EXPECT_EQ(race.replay.agents.size(), 2u);
}

TEST(Shorten, OtherRanksStopAfterWhatIsWaitedFor) {
  const Report report =
      run("for p in pl.range(n):\n    pld.system.notify(s, p, [me, 0], 1)\n"
          "for p in pl.range(n):\n    pld.system.wait(s, [p, 0], 1)\n"
          "pld.tile.remote_store(t, w, 0, [0])",
          4);
  ASSERT_EQ(report.verdict, Verdict::Refuted);
  const Finding& race = report.findings.at(0);
  ASSERT_EQ(race.places.size(), 2u);
  size_t others = 0;
  for (int rank = 0; rank < 4; ++rank) {
    const bool races = rank == race.places[0].rank || rank == race.places[1].rank;
    if (!races) {
      others += steps_of(race, rank);
      continue;
    }
    EXPECT_EQ(steps_of(race, rank), 9u);  // four notifies, four waits, the write
  }
  // They notify ranks in ascending order, up to the later one of the two that race.
  const int last = std::max(race.places[0].rank, race.places[1].rank);
  EXPECT_EQ(others, 2u * static_cast<size_t>(last + 1));
}

TEST(Shorten, FailuresNeedNoOtherRanks) {
  const Report report = run(
      "pld.system.notify(s, 0, [me, 0], 1)\nif me == 1:\n    u = pld.tile.remote_load(w, 0, [me * 4], [4])",
      3);
  ASSERT_EQ(report.verdict, Verdict::Refuted);
  const Finding& bounds = report.findings.at(0);
  EXPECT_EQ(bounds.kind, Kind::Bounds);
  EXPECT_EQ(bounds.story.size(), 1u);
  EXPECT_EQ(steps_of(bounds, 1), 1u);
}

TEST(Shorten, TurnsAreJoined) {
  ir::ProgramRef program =
      read(ranked("for i in pl.range(3):\n    pld.system.notify(s, me, [i, 0], 1, op=\"set\")\n"
                  "pld.tile.remote_store(t, w, 0, [0])"));
  ASSERT_TRUE(program);
  Diagnostics diags;
  auto image = interp::Image::make(program, "main", diags);
  ASSERT_TRUE(image) << diags.text();
  interp::Options settings;
  settings.ranks = 2;
  settings.full_order = settings.detach = true;
  interp::World start(image, settings);
  ASSERT_FALSE(interp::start(start, *program->find("main"), {}));
  check::Run alternating(start);
  size_t step = 0;
  carry_out(alternating, [&](check::Run&, std::span<const AgentId> all) { return all[step++ % all.size()]; });
  ASSERT_EQ(alternating.end, check::Run::End::Conflict);
  Shortener shortener(start);
  const auto shorter = shortener.shorten(alternating, alternating.schedule, [](const check::Run& other) {
    return !other.watch.conflicts().empty();
  });
  ASSERT_TRUE(shorter);
  const auto switches = [](const check::Run& of) {
    size_t count = 0;
    for (size_t i = 1; i < of.schedule.size(); ++i) count += of.schedule[i] != of.schedule[i - 1];
    return count;
  };
  EXPECT_GT(switches(alternating), 4u);
  EXPECT_EQ(switches(*shorter), 2u);  // the host, then one rank, then the other
}

}  // namespace
}  // namespace tilewire::check::test
