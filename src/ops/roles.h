// What the operands of a call determine.
#pragma once

#include "ir/op.h"

namespace tilewire::ops {

// The role of a parameter in this call. Control becomes Data if it concerns integers that would stop the run
// and none can: the operand is a float, or the dtype it is converted to holds all of its values.
ir::OperandRole role_in(const ir::Call& call, size_t param);

}  // namespace tilewire::ops
