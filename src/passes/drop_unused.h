// Removes statements without an effect whose results are unused.
#pragma once

#include "ir/nodes.h"

namespace tilewire::passes {

// The body without calls of removable ops (ir::Op) whose results are unused. One walk from the end.
ir::BlockRef drop_unused(const ir::BlockRef& body);

}  // namespace tilewire::passes
