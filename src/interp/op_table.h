// The meaning of every op, one entry each, filled by one function per family.
#pragma once

#include <string>
#include <unordered_map>

#include "interp/context.h"

namespace tilewire::interp {

// `which` distinguishes ops that share a function.
using OpRun = void (*)(Context&, int which);
using OpReady = bool (*)(Context&, int which);
using OpExplain = std::string (*)(Context&, int which);
using OpCells = void (*)(Context&, int which, std::vector<CellUse>& cells);

struct OpEntry {
  OpRun run = nullptr;
  int which = 0;
  OpReady ready = nullptr;      // null: it never blocks, polls aside
  OpExplain explain = nullptr;  // why it blocks, for the report of a deadlock
  OpCells cells = nullptr;      // the signal cells it uses; null: none
  bool visible = false;         // signals, waits, touches a peer
  bool signals = false;         // a release: earlier writes have landed
  bool joint = false;           // notifies several ranks in one release
  bool writes = false;          // memory or cells, anywhere
  bool moves = false;           // writes more than cells
  bool updates = false;         // a cell, at once: acquires and, where it writes, releases
  bool compares = false;        // an update that may leave the cell as it is, and then only looks
  bool polls = false;           // a test: blocks only where a poll repeats itself (polls.h)
  bool reads_cells = false;     // visible when its operand is a window
  bool accesses = false;        // has effects at all
  bool submits = false;         // is a task (Opcode::Call) and has no `run`
  int valid_operand = -1;       // the list operand that narrows a region to its valid extent; -1: none
};

class OpEntries {
 public:
  OpEntry& add(const ir::Op& op, OpRun run, int which = 0, OpReady ready = nullptr,
               OpExplain explain = nullptr);
  // An op on tiles and the one of the same name on tensors.
  void add_both(const ir::Op& tile_op, OpRun run, int which = 0);
  const OpEntry* find(const ir::Op& op) const;  // null: none

 private:
  std::unordered_map<const ir::Op*, OpEntry> entries_;
};

// Built on first use, constant from then on.
const OpEntries& op_entries();

void add_scalar(OpEntries& entries);
void add_elementwise(OpEntries& entries);
void add_reduce(OpEntries& entries);
void add_matrix(OpEntries& entries);
void add_move(OpEntries& entries);
void add_reshape(OpEntries& entries);
void add_index_sort(OpEntries& entries);
void add_arrays(OpEntries& entries);
void add_windows(OpEntries& entries);
void add_subgroups(OpEntries& entries);
void add_signals(OpEntries& entries);
void add_atomics(OpEntries& entries);
void add_remote(OpEntries& entries);
void add_print(OpEntries& entries);
void add_pipes(OpEntries& entries);

}  // namespace tilewire::interp
