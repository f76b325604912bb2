#include "interp/delays.h"

#include <algorithm>

#include "interp/op_table.h"

namespace tilewire::interp {

using namespace ir;

bool notifies(const Instr& instr) {
  if (instr.code != Opcode::Op || !instr.entry->signals) return false;
  const auto& call = static_cast<const Call&>(*instr.node);
  return std::any_of(call.op->effects.begin(), call.op->effects.end(), [&](const Effect& effect) {
    return effect.access == Access::Signal && happens(effect, call);
  });
}

namespace {

// Whether it is a release in any case: a compare that fails is none.
bool releases(const Instr& instr) {
  return notifies(instr) || (instr.code == Opcode::Op && instr.entry->updates && !instr.entry->compares);
}

}  // namespace

Delays::Delays(const Image& image, const std::function<bool(const Instr&)>& passes_by)
    : passes_by_(passes_by) {
  // What follows the end of a block: tasks that are ordered after it, and its submitter.
  bool later = false;
  for (const auto& code : image.codes()) {
    const bool submits = code->level != CodeLevel::Kernel;
    later |= submits ? std::any_of(code->instrs.begin(), code->instrs.end(),
                                   [&](const Instr& instr) { return looks(instr); })
                     : enters_look(*code);
  }
  for (const auto& code : image.codes()) ahead_[code.get()] = looks_ahead(*code, later);
}

bool Delays::matter(const Code& code, uint32_t pc) const {
  return ahead_.at(&code)[pc + 1];
}

bool Delays::looks(const Instr& instr) const {
  if (instr.code == Opcode::Call && instr.site->kind == Site::Kind::Plain) {
    const auto& inner = instr.site->callee->instrs;
    return std::any_of(inner.begin(), inner.end(), [&](const Instr& each) { return looks(each); });
  }
  if (instr.code != Opcode::Op) return false;
  if (instr.entry->compares) return true;
  if (instr.entry->polls) return passes_by_(instr);
  if (instr.entry->reads_cells) {
    const auto* type = as<TensorType>(static_cast<const Call&>(*instr.node).args[0]->type);
    return type && type->dtype == DType::Int32;
  }
  return instr.entry->ready && instr.entry->cells && passes_by_(instr);
}

bool Delays::enters_look(const Code& code) const {
  return looks_ahead(code, false)[0];
}

std::vector<bool> Delays::looks_ahead(const Code& code, bool at_end) const {
  std::vector<bool> ahead(code.instrs.size() + 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t pc = code.instrs.size(); pc-- > 0;) {
      const Instr& instr = code.instrs[pc];
      const bool jumps = instr.code == Opcode::Jump || instr.code == Opcode::ForNext;
      const bool may = instr.code == Opcode::JumpIfNot || instr.code == Opcode::ForTest;
      bool look = instr.code == Opcode::Return && at_end;
      if (jumps || may) look = look || ahead[instr.target];
      if (instr.code == Opcode::ForNext) look = look || ahead[code.instrs[instr.target].target];
      if (!jumps && instr.code != Opcode::Return && !releases(instr)) look = look || ahead[pc + 1];
      look = look || looks(instr);
      if (look == ahead[pc]) continue;
      ahead[pc] = look;
      changed = true;
    }
  }
  return ahead;
}

}  // namespace tilewire::interp
