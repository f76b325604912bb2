// Ops whose only effect is to stop the run if the precondition of another op does not hold. Passes emit them
// in the place of that op, and messages name it.
#pragma once

#include <string>

#include "ir/op.h"

namespace tilewire::ir {

// The attribute that names the other op.
inline constexpr const char* checked_op = "op";

inline bool only_checks(const Op& op) {
  return op.synchronizes && op.effects.empty() && op.param_index(checked_op) >= 0;
}

// The op that messages name for a call.
inline std::string op_for_messages(const Call& call) {
  const AttrValue* other = only_checks(*call.op) ? find_attr(call.attrs, checked_op) : nullptr;
  return other ? *other->get<std::string>() : call.op->qualified();
}

}  // namespace tilewire::ir
