#include "check/passing_waits.h"

#include <algorithm>

#include "interp/op_table.h"

namespace tilewire::check {
namespace {

bool no_order(uint32_t, uint32_t) {
  return false;
}

// A look that may see something else in another schedule makes a cell a general one. It takes nothing away.
Cells without_looks(const Trace& trace, const Cells& cells) {
  Cells unlooked;
  for (const auto& [id, cell] : cells) {
    if (cell.kind != CellClass::General || !cell.unfixed) continue;
    unlooked[id] = cell;
    unlooked[id].unfixed = false;
  }
  classify(trace, unlooked, no_order);
  Cells all = cells;
  for (auto& [id, cell] : unlooked) all[id] = cell;
  return all;
}

}  // namespace

PassingWaits::PassingWaits(const Trace& trace, const Cells& cells, const interp::WaitingTests& tests)
    : tests_(tests) {
  for (const auto& [id, cell] : without_looks(trace, cells)) {
    const bool general = cell.kind == CellClass::General;
    const std::vector<uint32_t> waits = waits_for(trace, cell);
    for (uint32_t wait : waits) passes_[trace[wait].where] |= general;
    if (!general && !waits.empty()) steady_[id] = notifies_of(trace, cell);
  }
}

bool PassingWaits::contains(const interp::Instr& wait) const {
  if (wait.entry->polls && !tests_.contains(wait.node)) return true;
  auto found = passes_.find(wait.node);
  return found == passes_.end() || found->second;
}

bool PassingWaits::learn(const Trace& trace) {
  if (steady_.empty()) return false;
  bool learned = false;
  Cells cells = collect_cells(trace);
  // Which order always holds is not known of this run, so credits and epochs are steady only as they were.
  classify(trace, cells, no_order);
  for (const auto& [id, cell] : cells) {
    if (cell.kind == CellClass::Monotone) continue;
    auto known = steady_.find(id);
    if (known != steady_.end() && known->second == notifies_of(trace, cell)) continue;
    for (uint32_t wait : waits_for(trace, cell)) {
      bool& passes = passes_[trace[wait].where];
      learned |= !passes;
      passes = true;
    }
  }
  return learned;
}

std::vector<uint32_t> PassingWaits::waits_for(const Trace& trace, const CellRecord& cell) const {
  std::vector<uint32_t> waits = cell.waits;
  for (uint32_t look : cell.looks) {
    if (trace[look].test && tests_.contains(trace[look].where)) waits.push_back(look);
  }
  return waits;
}

PassingWaits::Notifies PassingWaits::notifies_of(const Trace& trace, const CellRecord& cell) {
  Notifies notifies;
  for (uint32_t i : cell.signals) {
    const Action& signal = trace[i];
    notifies.emplace_back(signal.rank, signal.where, signal.operand, signal.use == Use::CellSet);
  }
  std::sort(notifies.begin(), notifies.end());
  return notifies;
}

}  // namespace tilewire::check
