// Statements without an effect whose results nobody uses.
#pragma once

#include "ir/nodes.h"

namespace tilewire::passes {

// The body without calls of removable ops (ir::Op) whose results nobody uses. One walk from the end.
ir::BlockRef drop_unused(const ir::BlockRef& body);

}  // namespace tilewire::passes
