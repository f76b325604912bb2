// Every signal cell of a run: its writers, its waiters, and the class that follows.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "check/watch.h"

namespace tilewire::check {

enum class CellClass : uint8_t {
  Monotone,  // only non-negative adds, awaited with >= and >
  Credit,    // anyone adds; waiters with >= and > that subtract are one agent, or ordered
  Epoch,     // set to growing values by one agent, or by ordered agents; awaited likewise
  General,
};
const char* name(CellClass kind);

struct CellRecord {
  // Positions in the trace, ascending. Looks do not block: tests, and reads of the cell as an element.
  std::vector<uint32_t> signals, waits, looks;
  std::vector<uint32_t> updates;     // whose results are used, compares that failed included
  std::vector<ir::WaitCmp> pending;  // of waits that the run never got past
  bool stored = false;               // also written as data, or not 0 at the start
  bool unfixed = false;              // a look may see another value in another schedule
  CellClass kind = CellClass::General;
  std::string why;  // of a general cell: "awaited with == and added to by 2 ranks"
};

using Cells = std::map<CellId, CellRecord>;
// The cells that the trace signals, waits on or updates, not classified yet. Elements that are only added to,
// by updates whose results are unused, are data.
Cells collect_cells(const Trace& trace);

// Whether position `a` of the trace is ordered before `b` in every schedule; may return false where it is.
using Always = std::function<bool(uint32_t a, uint32_t b)>;
// A cell with an `unfixed` look is general; whether others have one is not considered here.
void classify(const Trace& trace, Cells& cells, const Always& always);
// Whether every look at the cell is ordered with all of its writes, and so sees the same in every schedule.
bool looks_are_fixed(const CellRecord& cell, const Always& always);

}  // namespace tilewire::check
