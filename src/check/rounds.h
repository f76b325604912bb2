// How often loops went round, and how many blocks launches had, where that depends on what the caller
// chooses.
#pragma once

#include <cstdlib>
#include <string_view>
#include <vector>

#include "check/walks.h"
#include "interp/world.h"
#include "ir/nodes.h"

namespace tilewire::check {

// A loop or a launch of the source.
struct Walk {
  const ir::Node* node;
  bool launch = false;
  int64_t step = 1;     // 0: not a constant
  interp::Rounds most;  // of all runs, and of all places that it is inlined in or called from
  Walks::Inputs inputs;

  // Whether two whole parts and what goes on between them were seen.
  bool is_enough() const { return most.count >= 2 && std::abs(most.length) >= 2 * std::abs(step); }
};

// Those of `written` that `program`, which was made of it, still has. `rounds`: Report::rounds of checks of
// `program`, joined.
std::vector<Walk> walks_taken(const ir::ProgramRef& program, const ir::Program& written,
                              std::string_view entry, const Walks& walks,
                              const std::vector<interp::Rounds>& rounds);

}  // namespace tilewire::check
