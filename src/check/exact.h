// The exact fast tier: for programs whose cells only ever let more go on (monotone, credit, epoch), and in
// which nothing that depends on the schedule decides what happens. No step of one agent then stops another,
// so one run shows whether all come to an end; and two uses of the same bytes can meet exactly when both
// agents, stopped before them, arrive there while all others run as far as they can. What is always ordered
// is known from the signals that a wait cannot do without, which leaves few pairs, most often none, to try.
#pragma once

#include <optional>

#include "check/cells.h"
#include "check/flow.h"
#include "check/machine.h"
#include "check/search.h"

namespace tilewire::check {

struct Meeting {
  Conflict conflict;
  std::vector<uint32_t> schedule;  // actions up to where both stand before their use
};

struct ExactResult {
  bool applies = false;
  std::vector<Meeting> races;  // one per pair of places in the source
  bool in_one_pass = false;    // the order is the same in every schedule
  size_t tried = 0;            // pairs that had to be tried
  Flow flow;                   // of what depends on the schedule, given the order
};

// `run`: of `start`, whose entry is `entry`, to its end. `cells` are classified on the way, whether or not
// this applies.
ExactResult decide_exactly(const interp::World& start, const interp::Code& entry, const Run& run,
                           Cells& cells, const Ignored& ignored = {});

}  // namespace tilewire::check
