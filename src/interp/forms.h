// Values that decide something without being operands of an op: conditions, bounds, arguments of calls. One
// table has what each of them decides, as the op records do for operands.
#pragma once

#include <span>

#include "ir/op.h"

namespace tilewire::interp {

enum class Form : uint8_t {
  Condition,   // of a branch or a `while`
  LoopBound,   // start, stop and step of a `for`
  Argument,    // of a call, task or dispatch
  Result,      // what a function or task returns
  Device,      // of a dispatch
  BlockCount,  // of a launch
  Dependency,  // deps=
  Dimension,   // a dynamic dimension of a callee, bound by the extents of its arguments
  Place,       // where the tensor lies whose bytes an op reads, writes or signals
};

struct FormInfo {
  Form form;
  const char* name;
  ir::OperandRole role;
  const char* decides;  // for messages; null: nothing by itself
};

const FormInfo& info(Form form);
std::span<const FormInfo> all_forms();
// What an operand of that role decides, for messages; null: nothing by itself.
const char* decided_by(ir::OperandRole role);

}  // namespace tilewire::interp
