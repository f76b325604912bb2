// The operand whose storage the result of a call shares.
#pragma once

#include "ir/nodes.h"
#include "ir/op.h"

namespace tilewire::ir {

// Its index among the arguments of a call; -1: the result has its own storage, or none.
inline int alias_slot(const Op& op) {
  const bool known = op.result_alias >= 0 && static_cast<size_t>(op.result_alias) < op.operand_slots.size();
  return known ? op.operand_slots[static_cast<size_t>(op.result_alias)] : -1;
}

// Null also if the operand was omitted.
inline const Expr* aliased_operand(const Call& call) {
  const int slot = alias_slot(*call.op);
  return slot >= 0 && static_cast<size_t>(slot) < call.args.size()
             ? call.args[static_cast<size_t>(slot)].get()
             : nullptr;
}

}  // namespace tilewire::ir
