// Which waits may be for a value that is reached and passed again. Waits for cells that only grow, or whose
// owner subtracts what it has awaited, see the value whenever they look. One run shows which cells are of
// that kind; in other schedules other branches may be taken and other notifies happen, so these count too.
// Tests that are waits count as such; of any other test the answer is yes.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "check/cells.h"
#include "interp/code.h"
#include "interp/waiting_tests.h"

namespace tilewire::check {

class PassingWaits {
 public:
  // `cells`: of that run, classified.
  PassingWaits(const Trace& trace, const Cells& cells, const interp::WaitingTests& tests);
  // A wait that has not been seen may be such a wait.
  bool contains(const interp::Instr& wait) const;
  // Adds a run that finished differently. Returns true if it has waits that were not among them.
  bool learn(const Trace& trace);

 private:
  // Rank, place, value and whether it is set: equal for equal notifies in any order.
  using Notifies = std::vector<std::tuple<int, const ir::Node*, int64_t, bool>>;
  static Notifies notifies_of(const Trace& trace, const CellRecord& cell);
  // Positions of the waits for a cell, and of tests that are waits.
  std::vector<uint32_t> waits_for(const Trace& trace, const CellRecord& cell) const;

  const interp::WaitingTests& tests_;
  std::map<const ir::Node*, bool> passes_;  // by wait
  std::map<CellId, Notifies> steady_;       // of the cells that are not general
};

}  // namespace tilewire::check
