#include "check/cells.h"

#include <algorithm>
#include <limits>
#include <set>

namespace tilewire::check {
namespace {

bool waits_up_with(ir::WaitCmp cmp) {
  return cmp == ir::WaitCmp::Ge || cmp == ir::WaitCmp::Gt;
}

class Classifier {
 public:
  Classifier(const Trace& trace, const Always& always) : trace_(trace), always_(always) {}

  void classify(CellRecord& cell) {
    describe(cell);
    cell.kind = CellClass::General;
    if (cell.stored || cell.unfixed || !cell.updates.empty() || !all_wait_up(cell) || wraps(cell)) return;
    size_t sets = 0, negative = 0;
    for (uint32_t i : cell.signals) {
      const Action& signal = trace_[i];
      if (signal.use == Use::CellSet) {
        ++sets;
      } else if (signal.operand < 0) {
        ++negative;
      }
    }
    if (sets == 0 && negative == 0) {
      cell.kind = CellClass::Monotone;
    } else if (sets == 0 && takes_in_order(cell)) {
      cell.kind = CellClass::Credit;
    } else if (sets == cell.signals.size() && grows_in_order(cell)) {
      cell.kind = CellClass::Epoch;
    }
  }

 private:
  bool all_wait_up(const CellRecord& cell) const {
    for (uint32_t i : cell.waits) {
      if (!waits_up_with(trace_[i].cmp)) return false;
    }
    return std::all_of(cell.pending.begin(), cell.pending.end(), waits_up_with);
  }

  // Whatever the order, no sum leaves 32 bits.
  bool wraps(const CellRecord& cell) const {
    int64_t most = 0, least = 0;
    for (uint32_t i : cell.signals) {
      const Action& signal = trace_[i];
      if (signal.use != Use::CellSet) (signal.operand > 0 ? most : least) += signal.operand;
    }
    return most > std::numeric_limits<int32_t>::max() || least < std::numeric_limits<int32_t>::min();
  }

  bool one_after_another(const std::vector<uint32_t>& positions) const {
    for (size_t i = 0; i + 1 < positions.size(); ++i) {
      if (!always_(positions[i], positions[i + 1])) return false;
    }
    return true;
  }

  bool takes_in_order(const CellRecord& cell) const {
    std::vector<uint32_t> owners = cell.waits;
    for (uint32_t i : cell.signals) {
      if (trace_[i].operand < 0) owners.push_back(i);
    }
    std::sort(owners.begin(), owners.end());
    return one_after_another(owners);
  }

  bool grows_in_order(const CellRecord& cell) const {
    int64_t last = 0;
    for (uint32_t i : cell.signals) {
      if (trace_[i].operand < last) return false;
      last = trace_[i].operand;
    }
    return one_after_another(cell.signals);
  }

  void describe(CellRecord& cell) const {
    std::set<std::string> signs;
    std::set<int> adders, setters, updaters;
    for (uint32_t i : cell.waits) signs.insert(sign(trace_[i].cmp));
    for (uint32_t i : cell.looks) {
      if (trace_[i].test) signs.insert(sign(trace_[i].cmp));
    }
    for (ir::WaitCmp cmp : cell.pending) signs.insert(sign(cmp));
    for (uint32_t i : cell.signals) {
      (trace_[i].use == Use::CellSet ? setters : adders).insert(trace_[i].rank);
    }
    std::string text;
    for (const std::string& s : signs) text += (text.empty() ? "awaited with " : " and ") + s;
    auto by = [&](const char* what, const std::set<int>& ranks) {
      if (ranks.empty()) return;
      text += (text.empty() ? "" : ", ") + std::string(what) + " by " + std::to_string(ranks.size()) +
              (ranks.size() == 1 ? " rank" : " ranks");
    };
    by("added to", adders);
    by("set", setters);
    for (uint32_t i : cell.updates) updaters.insert(trace_[i].rank);
    by("updated", updaters);
    if (!cell.looks.empty()) text += text.empty() ? "tested" : ", tested";
    if (cell.stored) text += text.empty() ? "written as data" : ", written as data";
    if (wraps(cell)) text += ", may leave 32 bits";
    cell.why = text;
  }

  const Trace& trace_;
  const Always& always_;
};

}  // namespace

const char* name(CellClass kind) {
  static constexpr const char* names[] = {"monotone", "credit", "epoch", "general"};
  return names[static_cast<size_t>(kind)];
}

Cells collect_cells(const Trace& trace) {
  Cells cells;
  for (uint32_t i = 0; i < trace.size(); ++i) {
    const Action& action = trace[i];
    if (action.kind == Action::Kind::Signal) cells[action.cell()].signals.push_back(i);
    if (action.kind == Action::Kind::Update) cells[action.cell()].updates.push_back(i);
    if (action.kind != Action::Kind::Wait) continue;
    CellRecord& cell = cells[action.cell()];
    (action.test ? cell.looks : cell.waits).push_back(i);
  }
  // Reads of elements that are never signalled are reads of data.
  for (uint32_t i = 0; i < trace.size(); ++i) {
    if (trace[i].kind != Action::Kind::Access || trace[i].use != Use::CellLook) continue;
    auto found = cells.find(trace[i].cell());
    if (found != cells.end()) found->second.looks.push_back(i);
  }
  std::erase_if(cells, [&](const auto& entry) {
    const CellRecord& cell = entry.second;
    const bool only_added = cell.waits.empty() && cell.looks.empty() && cell.updates.empty();
    return only_added &&
           std::all_of(cell.signals.begin(), cell.signals.end(), [&](uint32_t i) { return trace[i].update; });
  });
  for (const Action& action : trace) {
    if (action.kind != Action::Kind::Access || (action.use != Use::Write && action.use != Use::Atomic))
      continue;
    for (auto cell = cells.lower_bound({action.storage, 0});
         cell != cells.end() && cell->first.storage == action.storage; ++cell) {
      cell->second.stored |= overlap(action.box, interp::Box{cell->first.offset, 4, {}});
    }
  }
  for (auto& [id, cell] : cells) std::sort(cell.looks.begin(), cell.looks.end());
  return cells;
}

bool looks_are_fixed(const CellRecord& cell, const Always& always) {
  for (uint32_t look : cell.looks) {
    for (uint32_t signal : cell.signals) {
      if (!(signal < look ? always(signal, look) : always(look, signal))) return false;
    }
  }
  return true;
}

void classify(const Trace& trace, Cells& cells, const Always& always) {
  Classifier classifier(trace, always);
  for (auto& [id, cell] : cells) classifier.classify(cell);
}

}  // namespace tilewire::check
