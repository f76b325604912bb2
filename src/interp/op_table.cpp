#include "interp/op_table.h"

namespace tilewire::interp {

OpEntry& OpEntries::add(const ir::Op& op, OpRun run, int which, OpReady ready, OpExplain explain) {
  OpEntry entry{.run = run, .which = which, .ready = ready, .explain = explain};
  entry.visible = op.synchronizes || ready;
  entry.accesses = !op.effects.empty() && !op.note;
  for (const ir::Effect& effect : op.effects) {
    if (op.note) break;
    bool update = effect.access == ir::Access::Update;
    bool signal = update || effect.access == ir::Access::Signal || effect.access == ir::Access::Wait;
    entry.signals |= effect.access == ir::Access::Signal;
    entry.updates |= update;
    entry.writes |= effect.access != ir::Access::Read && effect.access != ir::Access::Wait;
    entry.moves |= effect.access != ir::Access::Read && !signal;
    entry.visible |= signal || effect.peer_param >= 0 || effect.all_peers;
  }
  int valid = op.param_index("valid_shape");
  if (valid >= 0) entry.valid_operand = op.operand_slots[valid];
  auto [found, added] = entries_.emplace(&op, entry);
  TW_CHECK(added, "two meanings of " + op.qualified());
  return found->second;
}

void OpEntries::add_both(const ir::Op& tile_op, OpRun run, int which) {
  add(tile_op, run, which);
  add(*tile_op.counterpart, run, which);
}

const OpEntry* OpEntries::find(const ir::Op& op) const {
  auto found = entries_.find(&op);
  return found == entries_.end() ? nullptr : &found->second;
}

const OpEntries& op_entries() {
  static const OpEntries entries = [] {
    OpEntries all;
    add_scalar(all);
    add_elementwise(all);
    add_reduce(all);
    add_matrix(all);
    add_move(all);
    add_reshape(all);
    add_index_sort(all);
    add_arrays(all);
    add_windows(all);
    add_subgroups(all);
    add_signals(all);
    add_atomics(all);
    add_remote(all);
    add_print(all);
    add_pipes(all);
    return all;
  }();
  return entries;
}

}  // namespace tilewire::interp
