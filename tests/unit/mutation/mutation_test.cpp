// Every step of every collective is there for a reason: without it, or with a weaker one, the checker refutes
// some program on at most four ranks, on one host or several, within three calls. Where it does not, known.h
// says why.
//
//     TILEWIRE_MUTANTS=all unit_mutation      all mutants, some minutes; by default one of many
//     TILEWIRE_MUTANTS=ring unit_mutation     all mutants of the programs whose names begin so
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "check/check.h"
#include "frontend/frontend.h"
#include "ir/structural.h"
#include "ir/verifier.h"
#include "known.h"
#include "passes/pipeline.h"
#include "programs.h"
#include "target/cpu/traits.h"

namespace tilewire::mutation {
namespace {

struct Ranks {
  int count;
  int hosts = 1;
  bool operator<(const Ranks& other) const {
    return std::pair(count, hosts) < std::pair(other.count, other.hosts);
  }
};

// Those that find most come first. With three ranks in a row on as many hosts, one has hosts on both sides.
constexpr Ranks all_ranks[] = {{2}, {2, 2}, {4, 2}, {3, 3}, {3}, {4}, {4, 4}};
constexpr Ranks few_ranks[] = {{1}, {2}, {2, 2}, {4, 2}};
constexpr size_t one_of = 40;  // mutants, where not all are tried

// A case, lowered, and what it computes.
struct Subject {
  const Case* of;
  ir::ProgramRef program;
  std::vector<Span> calls;
  std::map<Ranks, std::vector<std::byte>> results;
};

// Made once: there are many mutants.
Arguments& arguments_of(const Case& of, int ranks) {
  static std::map<std::pair<std::string, int>, Arguments> made;
  Arguments& arguments = made.try_emplace({of.name, ranks}, of, ranks).first->second;
  arguments.clear();
  return arguments;
}

std::optional<std::vector<std::byte>> run(const ir::ProgramRef& program, const Case& of, Ranks ranks,
                                          uint64_t seed) {
  Arguments& arguments = arguments_of(of, ranks.count);
  interp::RunOptions options;
  options.ranks = ranks.count;
  options.hosts = ranks.hosts;
  options.poison = true;
  options.in_flight = true;
  interp::Random random(seed);
  options.scheduler = &random;
  if (interp::run(program, "main", arguments.all(), options).error) return std::nullopt;
  return arguments.written();
}

check::Report checked(const ir::ProgramRef& program, const Case& of, Ranks ranks) {
  check::Options options;
  options.ranks = ranks.count;
  options.hosts = ranks.hosts;
  options.limits.schedules = 50;
  options.limits.random = 10;
  return check::check(program, "main", arguments_of(of, ranks.count).all(), options);
}

std::optional<Subject> subject(const Case& of) {
  Diagnostics diags;
  ir::ProgramRef source = frontend::read_program(frontend::make_source("case.py", of.text), {}, diags);
  passes::Traits traits = target::cpu::traits;
  traits.segment_bytes = of.segment_bytes;
  traits.share_bytes = 64;
  traits.chunk_bytes = std::min(traits.chunk_bytes, of.segment_bytes);
  ir::ProgramRef lowered = source ? passes::lower(source, traits, diags) : nullptr;
  if (!lowered) {
    ADD_FAILURE() << of.name << "\n" << diags.text() << of.text;
    return std::nullopt;
  }
  return Subject{&of, lowered, collective_calls(*source), {}};
}

void expect_proved(const Subject& subject, Ranks ranks) {
  check::Report report = checked(subject.program, *subject.of, ranks);
  EXPECT_TRUE(report.ok()) << subject.of->name << "\n" << check::text_of(report);
}

// What the program computes, which does not depend on the schedule.
const std::vector<std::byte>& right_results(Subject& subject, Ranks ranks) {
  auto [found, fresh] = subject.results.try_emplace(ranks);
  if (fresh) {
    auto first = run(subject.program, *subject.of, ranks, 1),
         second = run(subject.program, *subject.of, ranks, 2);
    EXPECT_TRUE(first && first == second) << subject.of->name << " on " << ranks.count << " ranks";
    if (first) found->second = std::move(*first);
    const bool alike = ranks.hosts == 1 || found->second == right_results(subject, {ranks.count});
    EXPECT_TRUE(alike) << subject.of->name << ": other bits on " << ranks.hosts << " hosts";
  }
  return found->second;
}

const char* const by_results = "results";

// What tells a mutant from the program, "race", "deadlock", ..., "results"; empty: nothing does.
std::string killed_by(const Mutant& mutant, Subject& subject) {
  Diagnostics diags;
  if (!ir::verify(*mutant.program, diags)) return "verifier";
  for (Ranks ranks : all_ranks) {
    check::Report report = checked(mutant.program, *subject.of, ranks);
    if (report.verdict == check::Verdict::Refuted) return std::string(name(report.findings.at(0).kind));
    if (report.verdict == check::Verdict::Invalid) return "invalid";
  }
  if (run(mutant.program, *subject.of, {1}, 3) != right_results(subject, {1})) return by_results;
  for (Ranks ranks : all_ranks) {
    if (run(mutant.program, *subject.of, ranks, 3) != right_results(subject, ranks)) return by_results;
  }
  return "";
}

class Tally {
 public:
  void count(const Mutant& mutant, const std::string& killer, const Case& of) {
    ++kinds_[killer.empty() ? "equal" : killer];
    const Known* known = find_known(mutant, of.name);
    if (known) seen_.insert(known);
    const std::string said = of.name + ": " + mutant.change + ": " + mutant.where;
    if (killer.empty()) {
      EXPECT_TRUE(known && known->fate != Fate::Results) << "survives: " << said;
    } else if (killer == by_results && mutant.signals) {
      EXPECT_TRUE(known && known->fate != Fate::Equal) << "only its results are wrong: " << said;
    } else {
      EXPECT_TRUE(!known || known->fate == Fate::Either) << "is told by " << killer << ": " << said;
    }
  }

  void print(const std::string& name) const {
    int all = 0;
    for (const auto& [kind, count] : kinds_) all += count;
    std::printf("%-24s %5d mutants:", name.c_str(), all);
    for (const auto& [kind, count] : kinds_) std::printf(" %d %s", count, kind.c_str());
    std::printf("\n");
    std::fflush(stdout);
  }

  void add(const Tally& other) {
    for (const auto& [kind, count] : other.kinds_) kinds_[kind] += count;
    seen_.insert(other.seen_.begin(), other.seen_.end());
  }

  void expect_all_known() const {
    for (const Known& known : all_known()) {
      EXPECT_TRUE(seen_.contains(&known)) << "no mutant: " << known.change << ": " << known.where;
    }
  }

 private:
  std::map<std::string, int> kinds_;
  std::set<const Known*> seen_;
};

TEST(Mutants, EveryStepOfACollectiveCounts) {
  const char* asked = std::getenv("TILEWIRE_MUTANTS");
  const bool all = asked && std::string_view(asked) == "all";
  Tally total;
  std::vector<Subject> subjects;
  size_t number = 0;
  const std::vector<Case> every = cases();
  for (const Case& of : every) {
    if (asked && !all && !of.name.starts_with(asked)) continue;
    std::optional<Subject> subject = mutation::subject(of);
    if (!subject) continue;
    auto same = std::find_if(subjects.begin(), subjects.end(), [&](const Subject& other) {
      return ir::structurally_equal(other.program, subject->program);
    });
    if (same != subjects.end()) continue;  // mode="auto" is one of the others
    std::vector<const Mutant*> tried;
    const std::vector<Mutant> mutants = mutants_of(subject->program, subject->calls);
    for (const Mutant& mutant : mutants) {
      // Transfers are those of another program, whose data they move in all possible ways.
      if (of.name.starts_with("auto, short") && !mutant.signals) continue;
      if (asked || number++ % one_of == 0) tried.push_back(&mutant);
    }
    for (Ranks ranks : few_ranks) expect_proved(*subject, ranks);
    for (Ranks ranks : all_ranks) {
      if (asked) expect_proved(*subject, ranks);
    }
    Tally tally;
    for (const Mutant* mutant : tried) tally.count(*mutant, killed_by(*mutant, *subject), of);
    tally.print(of.name);
    total.add(tally);
    subjects.push_back(std::move(*subject));
  }
  total.print("all");
  if (all) total.expect_all_known();
}

}  // namespace
}  // namespace tilewire::mutation
