#include "target/cpu/lowering.h"

#include "ops/registry.h"

namespace tilewire::target::cpu {

LoweringTable::LoweringTable() {
  size_t count = ops::registry().all().size();
  rows_.resize(count);
  known_.resize(count);
  add_scalar_lowerings(*this);
  add_elementwise_lowerings(*this);
  add_reduce_lowerings(*this);
  add_move_lowerings(*this);
  add_shape_lowerings(*this);
  add_matrix_lowerings(*this);
  add_sort_lowerings(*this);
  add_tensor_lowerings(*this);
  add_signal_lowerings(*this);
  add_remote_lowerings(*this);
  add_host_lowerings(*this);
}

void LoweringTable::add(std::string_view name, Lowering lowering) {
  const ir::Op* op = ops::registry().find(name);
  TW_CHECK(op != nullptr, "no op " + std::string(name));
  size_t index = static_cast<size_t>(op - ops::registry().all().data());
  TW_CHECK(!known_[index], "two lowerings of " + std::string(name));
  rows_[index] = lowering;
  known_[index] = true;
}

const Lowering* LoweringTable::find(const ir::Op* op) const {
  std::span<const ir::Op> all = ops::registry().all();
  size_t index = static_cast<size_t>(op - all.data());
  return index < all.size() && known_[index] ? &rows_[index] : nullptr;
}

const Lowering* find_lowering(const ir::Op* op) {
  static const LoweringTable table;
  return table.find(op);
}

ir::ExprRef operand(const ir::Call& call, std::string_view name) {
  int param = call.op->param_index(name);
  int slot = param < 0 ? -1 : call.op->operand_slots[param];
  return slot < 0 || static_cast<size_t>(slot) >= call.args.size() ? nullptr : call.args[slot];
}

ir::ExprRef peer_operand(const ir::Call& call) {
  for (const ir::Effect& effect : call.op->effects) {
    if (effect.peer_param >= 0) return call.args[call.op->operand_slots[effect.peer_param]];
  }
  return nullptr;
}

}  // namespace tilewire::target::cpu
