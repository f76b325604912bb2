// The checker's report on a program.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/cells.h"
#include "check/timeline.h"
#include "support/diagnostics.h"
#include "support/schedule.h"

namespace tilewire::check {

enum class Kind : uint8_t {
  Race,
  Deadlock,
  Overshot,
  Lost,
  Divergent,
  Bounds,
  Shard,
  Window,
  Stale,  // from here on: warnings
  Unawaited,
  Unnotified,
  Residue,
  Schedule,
  Unreached,
  Input,  // one that was made up is not valid
  Unwritten,
};
std::string_view name(Kind kind);
inline bool is_error(Kind kind) {
  return kind < Kind::Stale;
}

// One step of an agent in the story of a finding.
struct Step {
  int rank = -1;  // -1: the host
  std::string who;
  uint32_t line = 0;
  std::string text;   // "adds 1 to `sig[0, 0]` on rank 1, which is 2 now"
  std::string brief;  // "sig[0, 0]@1 += 1 (2)"
  bool last = false;  // part of the error itself, not of the steps before it
};

struct Place {
  int rank = -1;
  std::string function;
  int64_t block = 0;
  int call = 0;  // of the entry, from 0
  Span span;
  std::string text;   // "reads bytes 0 to 63 of `w` on rank 0"
  int64_t lanes = 1;  // blocks that work as one (support/block_text)
};

// An agent in terms that hold in every schedule.
struct Actor {
  int rank = -1;  // -1: the host
  std::string function;
  int64_t task = -1;  // of its rank, in the order of submission; -1: what the host dispatched, or the host
  int64_t block = 0;
};

struct Finding {
  Kind kind;
  Diagnostic diagnostic;
  std::vector<Place> places;
  std::vector<Step> story;
  std::vector<AgentId> schedule;  // the agent of each step of the run that shows it
  Timeline timeline = {};         // the same run as a picture; empty for warnings
  Schedule replay = {};           // the same run, for a replay; empty for warnings
};

enum class Verdict : uint8_t { Proved, Refuted, Bounded, Invalid };
std::string_view name(Verdict verdict);

// Elements of an argument decide what the program does: the verdict holds for those that were given.
struct DataDecision {
  std::string parameter;
  std::string what;  // "a branch", "an address"
  Span span;         // the first place
};

// An input that was made up and checked.
struct InputTried {
  std::string text;  // "n = 2", "n = 2, M = 5"; empty: nothing was made up that makes a difference
  Verdict verdict = Verdict::Bounded;
  std::optional<Diagnostic> refused;  // set if the input is invalid: the program stops on this error
};

struct CellGroup {
  std::string name;  // "sig[0, 0]", the same for every rank
  CellClass kind;
  std::string why;
};

// What a verdict depends on.
enum class Tier : uint8_t { None, Exact, Search };

// For one number of ranks.
struct Report {
  int ranks = 1;
  int hosts = 1;  // that they are spread over
  int calls = 1;  // one after the other; the first one from windows that are zero
  Verdict verdict = Verdict::Bounded;
  std::string method;  // "3 schedules", "one run of 214 events and its order"
  size_t events = 0, schedules = 1, random = 0;
  size_t states = 0;              // that the search went through; 0: there was none
  std::vector<Finding> findings;  // errors first
  std::vector<CellGroup> cells;
  std::vector<DataDecision> data;
  std::vector<Actor> actors;          // by the numbers in Finding::schedule
  std::optional<Diagnostic> invalid;  // why there was nothing to check
  Timeline timeline;                  // of one run, where none is wrong
  std::vector<InputTried> inputs;
  std::string assumed;  // "n = 0, 1, 2, 3; x from seed 1; 1 call from zeroed windows"; empty: nothing
  Tier tier = Tier::None;
  int64_t blocks = 0;                  // of a rank that can run at once, at most, if cores are limited
  size_t pairs = 0;                    // of uses that the exact tier had to try
  bool windows = false;                // the program has some
  bool stopped = false;                // the first run stopped on a checked error
  std::vector<uint8_t> reached;        // interp::Options::reached
  std::vector<interp::Rounds> rounds;  // interp::Options::rounds
  bool too_long = false;               // the first run took more steps, or more memory, than it may
  std::optional<Diagnostic> error;     // the checked error that the first run stopped on
  bool names_peer = false;             // that error is about a rank that does not exist
  std::set<std::pair<uint32_t, uint32_t>> cell_uses;  // lines and columns that use a signal cell

  bool ok() const { return verdict == Verdict::Proved; }
};

// "4 ranks", "4 ranks on 2 hosts"
std::string ranks_of(const Report& report);
// For people: the verdict, every finding with its source lines, its story and a column per rank.
std::string text_of(const Report& report);
// An array of objects with `ranks`, `verdict`, `findings`, ...
std::string json_of(const std::vector<Report>& reports);
// A message as an object, with the keys of `invalid` and its severity.
std::string json_of(const Diagnostic& message);
// What stands in place of the array where there is no report: one object that is invalid. `invalid`: of
// `messages`, the first error.
std::string json_without_report(const std::string& invalid, const std::vector<std::string>& messages);
// One page that needs nothing else, with a picture of every schedule that goes wrong, or of one run.
std::string html_of(const std::vector<Report>& reports);

}  // namespace tilewire::check
