#include "interp/liveness.h"

#include "interp/code.h"

namespace tilewire::interp {
namespace {

// Calls f with every register that the instruction reads.
template <class F>
void each_read(const Code& code, const Instr& instr, F f) {
  auto range = [&](uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) f(code.slots[first + i]);
  };
  switch (instr.code) {
    case Opcode::Op:
      for (uint32_t i = 0; i < instr.count; ++i) {
        range(code.operands[instr.first + i].first, code.operands[instr.first + i].count);
      }
      return;
    case Opcode::Move:
    case Opcode::JumpIfNot:
    case Opcode::Get:
      return f(instr.a);
    case Opcode::ForTest:
    case Opcode::ForNext:
      f(instr.a);
      f(instr.b);
      return f(instr.c);
    case Opcode::Tuple:
    case Opcode::Return:
      return range(instr.first, instr.count);
    case Opcode::Jump:
    case Opcode::Parallel:
    case Opcode::Round:
      return;
    case Opcode::Call:
      for (Slot slot : instr.site->args) f(slot);
      for (Slot slot : instr.site->deps) f(slot);
      if (instr.site->device != no_slot) f(instr.site->device);
      if (instr.site->blocks != no_slot) f(instr.site->blocks);
      // Dimensions that the callee looks at come from the caller.
      for (const auto& [name, slot] : code.symbols) f(slot);
      return;
  }
}

// A register that the instruction always overwrites; no_slot: none.
Slot written(const Instr& instr) {
  switch (instr.code) {
    case Opcode::Op:
    case Opcode::Move:
    case Opcode::Tuple:
    case Opcode::Get:
      return instr.dst;
    default:
      return no_slot;
  }
}

}  // namespace

Liveness::Liveness(const Code& code) {
  const size_t registers = code.initial.size();
  before_.assign(code.instrs.size() + 1, std::vector<bool>(registers));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t pc = code.instrs.size(); pc-- > 0;) {
      const Instr& instr = code.instrs[pc];
      std::vector<bool> live(registers);
      auto join = [&](size_t next) {
        for (size_t r = 0; r < registers; ++r) live[r] = live[r] || before_[next][r];
      };
      const bool jumps = instr.code == Opcode::Jump || instr.code == Opcode::ForNext;
      const bool may = instr.code == Opcode::JumpIfNot || instr.code == Opcode::ForTest;
      if (jumps || may) join(instr.target);
      if (instr.code == Opcode::ForNext) join(code.instrs[instr.target].target);
      if (!jumps && instr.code != Opcode::Return) join(pc + 1);
      if (Slot slot = written(instr); slot != no_slot) live[slot] = false;
      each_read(code, instr, [&](Slot slot) { live[slot] = true; });
      if (live == before_[pc]) continue;
      before_[pc] = std::move(live);
      changed = true;
    }
  }
}

}  // namespace tilewire::interp
