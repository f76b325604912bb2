#include "check/taint.h"

#include <map>
#include <vector>

#include "interp/op_table.h"

namespace tilewire::check {
namespace {

using interp::Code;
using interp::Instr;
using interp::Opcode;
using interp::Slot;

class Taint {
 public:
  const ir::Node* find(const Code& entry) {
    reach(entry);
    do {
      changed_ = false;
      for (auto& [code, state] : codes_) {
        for (const Instr& instr : code->instrs) follow(*code, state, instr);
      }
    } while (changed_ && !decides_);
    return decides_;
  }

 private:
  struct State {
    std::vector<bool> slots;
    bool result = false;
  };

  void reach(const Code& code) {
    if (!codes_.emplace(&code, State{std::vector<bool>(code.initial.size()), false}).second) return;
    for (const auto& site : code.sites) reach(*site->callee);
  }

  void mark(State& state, Slot slot) {
    if (slot == interp::no_slot || state.slots[slot]) return;
    state.slots[slot] = changed_ = true;
  }
  bool any(const Code& code, const State& state, uint32_t first, uint32_t count) const {
    for (uint32_t i = 0; i < count; ++i) {
      if (state.slots[code.slots[first + i]]) return true;
    }
    return false;
  }
  void decide(const Instr& instr) {
    if (!decides_) decides_ = instr.node;
  }

  void follow(const Code& code, State& state, const Instr& instr) {
    switch (instr.code) {
      case Opcode::Op:
        return follow_op(code, state, instr);
      case Opcode::Move:
      case Opcode::Get:
        if (state.slots[instr.a]) mark(state, instr.dst);
        return;
      case Opcode::Jump:
        return;
      case Opcode::JumpIfNot:
        if (state.slots[instr.a]) decide(instr);
        return;
      case Opcode::ForTest:
        if (state.slots[instr.a] || state.slots[instr.b] || state.slots[instr.c]) decide(instr);
        return;
      case Opcode::ForNext:
        return;  // its test says it
      case Opcode::Tuple:
        if (any(code, state, instr.first, instr.count)) mark(state, instr.dst);
        return;
      case Opcode::Return:
        if (any(code, state, instr.first, instr.count) && !state.result) state.result = changed_ = true;
        return;
      case Opcode::Call:
        return follow_call(state, instr);
    }
  }

  void follow_call(State& state, const Instr& instr) {
    const interp::Site& site = *instr.site;
    State& callee = codes_.at(site.callee);
    for (size_t i = 0; i < site.args.size(); ++i) {
      if (state.slots[site.args[i]]) mark(callee, site.callee->params[i]);
    }
    for (Slot slot : {site.device, site.blocks}) {
      if (slot != interp::no_slot && state.slots[slot]) decide(instr);
    }
    if (!callee.result) return;
    mark(state, instr.dst);
    for (Slot slot : site.results) mark(state, slot);
  }

  void follow_op(const Code& code, State& state, const Instr& instr) {
    const interp::OpEntry& entry = *instr.entry;
    const auto& call = static_cast<const ir::Call&>(*instr.node);
    const ir::Op& op = *call.op;
    const bool looks = entry.ready || entry.polls;
    const bool loads = ir::isa<ir::ScalarType>(call.type) || ir::isa<ir::TileType>(call.type);
    bool tainted = looks || (memory_ && entry.accesses && loads);
    for (uint32_t i = 0; i < instr.count; ++i) {
      const interp::Operand& operand = code.operands[instr.first + i];
      if (!any(code, state, operand.first, operand.count)) continue;
      if (entry.accesses && (entry.cells || places(op, call, i))) decide(instr);
      if (entry.accesses && !memory_ && writes(op)) memory_ = changed_ = true;
      tainted = tainted || op.result_alias < 0 || op.operand_slots[op.result_alias] == static_cast<int>(i);
    }
    if (op.result_alias >= 0 && !looks && memory_) {
      // The same part of the same storage: what lies there is followed as memory.
      const interp::Operand& operand =
          code.operands[instr.first + static_cast<uint32_t>(op.operand_slots[op.result_alias])];
      tainted = any(code, state, operand.first, operand.count) || (!entry.accesses && tainted);
    }
    if (tainted) mark(state, instr.dst);
  }

  // Whether the operand says where an op with effects works, not what it writes.
  static bool places(const ir::Op& op, const ir::Call& call, uint32_t operand) {
    for (size_t i = 0; i < op.params.size(); ++i) {
      if (op.operand_slots[i] != static_cast<int>(operand)) continue;
      if (op.params[i].kind == ir::OpParam::ListOperand) return true;
      for (const ir::Effect& effect : op.effects) {
        if (effect.peer_param == static_cast<int>(i)) return true;
      }
    }
    return call.args[operand] && ir::isa<ir::TensorType>(call.args[operand]->type);
  }

  static bool writes(const ir::Op& op) {
    for (const ir::Effect& effect : op.effects) {
      if (effect.access == ir::Access::Write || effect.access == ir::Access::ReadWrite ||
          effect.access == ir::Access::Atomic) {
        return true;
      }
    }
    return false;
  }

  std::map<const Code*, State> codes_;
  bool memory_ = false;
  bool changed_ = false;
  const ir::Node* decides_ = nullptr;
};

}  // namespace

const ir::Node* schedule_decides(const interp::Code& entry) {
  return Taint().find(entry);
}

}  // namespace tilewire::check
