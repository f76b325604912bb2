// Collectives that the ranks of a group, or the blocks of a launch, do not call alike: the cause of a
// deadlock or a race inside one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/report.h"
#include "check/search.h"

namespace tilewire::check {

struct Divergence {
  // Ranks, or blocks of one rank, that reach the same collective.
  struct Side {
    std::vector<int> ranks;
    std::vector<int64_t> blocks;  // of the one rank; empty: whole ranks are compared
    bool reached = false;         // false: they end without such a call, and the fields below are unset
    std::string name;             // "`allreduce(mode=ring)` of `w`"
    std::string function;
    int call = 0;  // of the entry
    Span span;
  };
  std::vector<Side> sides;  // those that reach one come first
  std::string signal;       // its window's name
  bool crossed = false;     // each side waits in its call for another side, which reaches it only afterwards
};

// How the collectives of a run, as far as it got, differ between ranks. Only calls that share a signal
// are compared. After a deadlock, whether a missing participant would still arrive is
// found by continuing the run (outlook.h).
std::optional<Divergence> divergence_of(const Run& run);
// Without its story.
Finding divergent_finding(const Run& run, const Divergence& divergence);

}  // namespace tilewire::check
