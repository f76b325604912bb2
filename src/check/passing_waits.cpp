#include "check/passing_waits.h"

#include <algorithm>

namespace tilewire::check {

PassingWaits::PassingWaits(const Trace& trace, const Cells& cells) {
  for (const auto& [id, cell] : cells) {
    const bool general = cell.kind == CellClass::General;
    for (uint32_t wait : cell.waits) passes_[trace[wait].where] |= general;
    if (!general && !cell.waits.empty()) steady_[id] = notifies_of(trace, cell);
  }
}

bool PassingWaits::contains(const interp::Instr& wait) const {
  auto found = passes_.find(wait.node);
  return found == passes_.end() || found->second;
}

bool PassingWaits::learn(const Trace& trace) {
  if (steady_.empty()) return false;
  bool learned = false;
  Cells cells = collect_cells(trace);
  // Which order always holds is not known of this run, so credits and epochs are steady only as they were.
  classify(trace, cells, [](uint32_t, uint32_t) { return false; });
  for (const auto& [id, cell] : cells) {
    if (cell.kind == CellClass::Monotone) continue;
    auto known = steady_.find(id);
    if (known != steady_.end() && known->second == notifies_of(trace, cell)) continue;
    for (uint32_t wait : cell.waits) {
      bool& passes = passes_[trace[wait].where];
      learned |= !passes;
      passes = true;
    }
  }
  return learned;
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
