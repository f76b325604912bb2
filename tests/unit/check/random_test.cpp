// Random protocols: the tiers against every interleaving.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "check/check.h"
#include "explorer.h"
#include "protocols.h"

namespace tilewire::check::test {
namespace {

bool said(const Explored& all, Kind kind) {
  switch (kind) {
    case Kind::Race:
      return all.race;
    case Kind::Lost:
      return all.lost;
    case Kind::Deadlock:
      return all.deadlock;
    case Kind::Overshot:
      return all.overshot;
    default:
      return false;
  }
}

// What the protocols of a run were like.
struct Tally {
  size_t fine = 0, compared = 0;
  std::map<std::string, size_t> said, has, classes, methods;

  void print() const {
    auto row = [](const char* name, const std::map<std::string, size_t>& counts) {
      std::printf("  %s:", name);
      for (const auto& [what, number] : counts) std::printf(" %s %zu,", what.c_str(), number);
      std::printf("\n");
    };
    std::printf("  %zu compared, %zu of them right\n", compared, fine);
    row("every interleaving says", said);
    row("made of", has);
    row("cells", classes);
    row("decided by", methods);
  }
};

std::string method_of(const Report& report) {
  if (report.verdict == Verdict::Bounded) return "nothing";
  return report.states > 0                                           ? "search"
         : report.method.find("first schedule") != std::string::npos ? "first run"
                                                                     : "one run";
}

void compare(uint64_t seed, bool general, const ir::ProgramRef& program, const Protocol& protocol,
             const Explored& all, Tally& tally, int calls = 1) {
  Options options;
  options.calls = calls;
  options.ranks = protocol.ranks;
  options.general = general;
  Report report = check(program, "main", {}, options);
  if (!general) {
    ++tally.methods[method_of(report)];
    for (const CellGroup& cell : report.cells) ++tally.classes[name(cell.kind)];
  }
  if (report.verdict == Verdict::Bounded) return;
  EXPECT_EQ(report.verdict, all.wrong() ? Verdict::Refuted : Verdict::Proved)
      << "seed " << seed << (general ? ", general tier" : "") << ", calls " << calls
      << ", every interleaving says" << all.text() << "\n"
      << protocol.text << text_of(report);
  for (const Finding& finding : report.findings) {
    if (!is_error(finding.kind)) continue;
    EXPECT_TRUE(said(all, finding.kind))
        << "seed " << seed << ": " << name(finding.kind) << ", but" << all.text() << "\n"
        << protocol.text << text_of(report);
  }
}

// Two calls over the same windows, of protocols of which one call is right.
TEST(RandomProtocols, TiersAgreeWithEveryInterleavingOfTwoCalls) {
  size_t compared = 0, fine = 0;
  Tally tally;
  for (uint64_t seed = 1; seed <= 500 && !testing::Test::HasFailure(); ++seed) {
    const Protocol protocol = make_protocol(seed);
    ir::ProgramRef program = read(protocol.text);
    ASSERT_TRUE(program);
    const Explored once = explore(program, "main", protocol.ranks, 2000, 1, interp::Late::Needed);
    if (!once.complete || once.wrong()) continue;
    const Explored twice = explore(program, "main", protocol.ranks, 3000, 2, interp::Late::Needed);
    if (!twice.complete) continue;
    ++compared;
    fine += !twice.wrong();
    compare(seed, false, program, protocol, twice, tally, 2);
    compare(seed, true, program, protocol, twice, tally, 2);
  }
  std::printf("  %zu compared, %zu of them right\n", compared, fine);
  EXPECT_GT(fine, 3u);
  EXPECT_GT(compared - fine, 3u);
}

// TILEWIRE_PROTOCOLS: how many; TILEWIRE_PROTOCOL_SEED: the seed of the first.
TEST(RandomProtocols, TiersAgreeWithEveryInterleaving) {
  const char* asked = std::getenv("TILEWIRE_PROTOCOLS");
  const uint64_t count = asked ? std::strtoull(asked, nullptr, 10) : 240;
  const char* from = std::getenv("TILEWIRE_PROTOCOL_SEED");
  const uint64_t first = from ? std::strtoull(from, nullptr, 10) : 1;
  std::printf("  %zu random protocols, seeds from %zu\n", static_cast<size_t>(count),
              static_cast<size_t>(first));
  Tally tally;
  for (uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    Protocol protocol = make_protocol(seed);
    ir::ProgramRef program = read(protocol.text);
    ASSERT_TRUE(program);
    for (const std::string& what : protocol.has) ++tally.has[what];
    Explored all = explore(program, "main", protocol.ranks, 10000);
    if (!all.complete) continue;
    ++tally.compared;
    tally.fine += !all.wrong();
    ++tally.said[all.text()];
    compare(seed, false, program, protocol, all, tally);
    compare(seed, true, program, protocol, all, tally);
    if ((seed - first + 1) % 1000 == 0) {
      std::printf("  %zu\n", static_cast<size_t>(seed - first + 1));
      std::fflush(stdout);
    }
  }
  tally.print();
  EXPECT_GT(tally.compared, count / 2);
  if (count < 240) return;
  // The protocols must not all be wrong in the same way, and have everything in them.
  EXPECT_GT(tally.fine, count / 20);
  for (const char* kind : {" race", " lost", " deadlock", " overshot", " nothing"}) {
    const bool any = std::any_of(tally.said.begin(), tally.said.end(), [&](const auto& said) {
      return said.first.find(kind) != std::string::npos;
    });
    EXPECT_TRUE(any) << kind;
  }
  for (const char* what : {"add", "set", "take", "read", "value"})
    EXPECT_GT(tally.has[what], count / 100) << what;
  for (const char* what : {"all", "poll test", "poll read", "poll two", "poll writes", "tries",
                           "two questions", "test or wait", "bare poll", "answer kept", "fetch unused",
                           "fetch", "compare", "lock", "spin", "fetch zero", "fetch told"})
    EXPECT_GT(tally.has[what], 0u) << what;
  for (const char* cmp : {"eq", "ne", "gt", "ge", "lt", "le"}) {
    EXPECT_GT(tally.has[std::string("wait ") + cmp], 0u) << cmp;
    EXPECT_GT(tally.has[std::string("test ") + cmp], 0u) << cmp;
  }
  for (const char* kind : {"monotone", "credit", "epoch", "general"})
    EXPECT_GT(tally.classes[kind], 0u) << kind;
}

}  // namespace
}  // namespace tilewire::check::test
