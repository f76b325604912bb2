// Statements without an effect whose results nobody uses.
#pragma once

#include "ir/nodes.h"

namespace tilewire::passes {

// Whether a call may be left out when its result is not needed: it does nothing but read the own memory.
bool is_removable(const ir::Call& call);

// The body without what may be left out. One walk from the end.
ir::BlockRef drop_unused(const ir::BlockRef& body);

}  // namespace tilewire::passes
