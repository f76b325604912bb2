// Random protocols: the tiers against every interleaving.
#include <gtest/gtest.h>

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

void compare(uint64_t seed, bool general, const ir::ProgramRef& program, const Protocol& protocol,
             const Explored& all) {
  Options options;
  options.ranks = protocol.ranks;
  options.general = general;
  Report report = check(program, "main", {}, options);
  if (report.verdict == Verdict::Bounded) return;
  EXPECT_EQ(report.verdict, all.wrong() ? Verdict::Refuted : Verdict::Proved)
      << "seed " << seed << (general ? ", general tier" : "") << ", every interleaving says" << all.text()
      << "\n"
      << protocol.text << text_of(report);
  for (const Finding& finding : report.findings) {
    if (!is_error(finding.kind)) continue;
    EXPECT_TRUE(said(all, finding.kind))
        << "seed " << seed << ": " << name(finding.kind) << ", but" << all.text() << "\n"
        << protocol.text << text_of(report);
  }
}

TEST(RandomProtocols, TiersAgreeWithEveryInterleaving) {
  const char* asked = std::getenv("TILEWIRE_PROTOCOLS");
  const uint64_t count = asked ? std::strtoull(asked, nullptr, 10) : 200;
  const char* from = std::getenv("TILEWIRE_PROTOCOL_SEED");
  const uint64_t first = from ? std::strtoull(from, nullptr, 10) : 1;
  size_t fine = 0, compared = 0;
  std::map<std::string, size_t> kinds;
  for (uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    Protocol protocol = make_protocol(seed);
    ir::ProgramRef program = read(protocol.text);
    ASSERT_TRUE(program);
    Explored all = explore(program, "main", protocol.ranks, 10000);
    if (!all.complete) continue;
    ++compared;
    fine += !all.wrong();
    ++kinds[all.text()];
    compare(seed, false, program, protocol, all);
    compare(seed, true, program, protocol, all);
  }
  // The protocols must not all be wrong in the same way.
  for (const auto& [kind, number] : kinds) RecordProperty("said" + kind, static_cast<int>(number));
  EXPECT_GT(compared, count / 2);
  if (count >= 100) {
    EXPECT_GT(fine, count / 20);
  }
}

}  // namespace
}  // namespace tilewire::check::test
