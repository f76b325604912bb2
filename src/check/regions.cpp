#include "check/regions.h"

#include <algorithm>

namespace tilewire::check {

using interp::Instr;
using interp::Opcode;

std::pair<uint32_t, uint32_t> decided_region(const interp::Code& code, uint32_t pc) {
  const uint32_t target = code.instrs[pc].target;
  uint32_t begin = pc + 1, end = target;
  // The jump before the target ends the first arm of an `if` with two, or the body of a `while`.
  const Instr& last = code.instrs[target - 1];
  if (code.instrs[pc].code == Opcode::JumpIfNot && last.code == Opcode::Jump) {
    if (last.target > target) end = last.target;
    if (last.target <= pc) begin = last.target;
  }
  const auto all = static_cast<uint32_t>(code.instrs.size());
  const bool leaves = std::any_of(code.instrs.begin() + begin, code.instrs.begin() + end,
                                  [](const Instr& instr) { return instr.code == Opcode::Return; });
  return {begin, leaves ? all : end};
}

}  // namespace tilewire::check
