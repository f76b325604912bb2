#include "interp/op_table.h"

#include "ops/registry.h"

namespace tilewire::interp {

OpEntry& OpEntries::add(std::string_view name, OpRun run, int which, OpReady ready, OpExplain explain) {
  const ir::Op* op = ops::registry().find(name);
  TW_CHECK(op, "no op of that name: " + std::string(name));
  OpEntry entry{.run = run, .which = which, .ready = ready, .explain = explain};
  entry.visible = op->synchronizes || ready;
  entry.accesses = !op->effects.empty();
  for (const ir::Effect& effect : op->effects) {
    bool signal = effect.access == ir::Access::Signal || effect.access == ir::Access::Wait;
    entry.signals |= effect.access == ir::Access::Signal;
    entry.writes |= effect.access != ir::Access::Read && effect.access != ir::Access::Wait;
    entry.moves |= effect.access != ir::Access::Read && !signal;
    entry.visible |= signal || effect.peer_param >= 0 || effect.all_peers;
  }
  int valid = op->param_index("valid_shape");
  if (valid >= 0) entry.valid_operand = op->operand_slots[valid];
  auto [found, added] = entries_.emplace(op, entry);
  TW_CHECK(added, "two meanings of " + std::string(name));
  return found->second;
}

void OpEntries::add_both(const std::string& name, OpRun run, int which) {
  add("pl.tile." + name, run, which);
  add("pl.tensor." + name, run, which);
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
    add_signals(all);
    add_remote(all);
    return all;
  }();
  return entries;
}

}  // namespace tilewire::interp
