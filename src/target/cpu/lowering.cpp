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
  add_atomic_lowerings(*this);
  add_remote_lowerings(*this);
  add_host_lowerings(*this);
  add_print_lowerings(*this);
}

namespace {

OpClass class_of(const ir::Op& op, OpClass otherwise) {
  switch (ir::fusion_of(op.form)) {
    case ir::Fusion::Elementwise:
      return OpClass::Lanes;
    case ir::Fusion::Generator:
      return OpClass::Generator;
    case ir::Fusion::RowReduce:
      return OpClass::RowReduce;
    case ir::Fusion::ColReduce:
      return OpClass::ColReduce;
    case ir::Fusion::Load:
      return OpClass::Load;
    case ir::Fusion::Store:
      return OpClass::Store;
    case ir::Fusion::Same:
      return OpClass::Alias;
    case ir::Fusion::None:
      break;
  }
  return otherwise;
}

Spread spread_of(ir::OpForm form) {
  const bool row = form == ir::OpForm::MapRow || form == ir::OpForm::ExpandRow;
  const bool column = form == ir::OpForm::MapCol || form == ir::OpForm::ExpandCol;
  return row ? Spread::Row : column ? Spread::Column : Spread::None;
}

}  // namespace

void LoweringTable::add(const ir::Op& op, Lowering lowering) {
  TW_CHECK(!known_[op.index], "two lowerings of " + op.qualified());
  lowering.op_class = class_of(op, lowering.op_class);
  lowering.spread = spread_of(op.form);
  lowering.cheap = op.cost == 1;
  lowering.ignored = static_cast<int8_t>(op.scratch);
  lowering.divides = lowering.op_class == OpClass::Lanes && op.kind == ir::Elementwise::Div;
  lowering.multiplies = lowering.op_class == OpClass::Scalar && op.kind == ir::Elementwise::Mul;
  lowering.product_loop = op.form == ir::OpForm::MatmulAcc;
  rows_[op.index] = lowering;
  known_[op.index] = true;
}

const Lowering* LoweringTable::find(const ir::Op* op) const {
  return known_[op->index] ? &rows_[op->index] : nullptr;
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
