// The exact tier: for programs whose cells only ever enable more steps (monotone, credit, epoch), and in
// which nothing that depends on the schedule decides what happens. No step of one agent then disables
// another, so one run shows whether all finish; and two uses of the same bytes can meet exactly if both
// agents, stopped before them, arrive there while all others run as far as they can. Which uses are always
// ordered is known from the signals that a wait needs, which leaves few pairs to try, most often none.
#pragma once

#include <optional>

#include "check/cells.h"
#include "check/flow.h"
#include "check/machine.h"
#include "check/search.h"

namespace tilewire::check {

struct Meeting {
  Conflict conflict;
  std::vector<uint32_t> schedule;  // actions up to the point where both are about to make their use
};

struct ExactResult {
  bool applies = false;
  std::vector<Meeting> races;  // one per pair of places in the source
  bool in_one_pass = false;    // the order is the same in every schedule
  size_t tried = 0;            // pairs that had to be tried
  Flow flow;                   // of what depends on the schedule, given the order
};

// `run`: of `start`, whose entry is `entry`, to its end. `cells` are classified in any case.
// this applies.
ExactResult decide_exactly(const interp::World& start, const interp::Code& entry, const Run& run,
                           Cells& cells, const Ignored& ignored = {});

}  // namespace tilewire::check
