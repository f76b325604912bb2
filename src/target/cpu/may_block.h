// Whether a kernel may wait for something another task does: it then needs a fiber of its own.
#pragma once

#include "ir/nodes.h"

namespace tilewire::target::cpu {

bool may_block(const ir::Function& kernel);

}  // namespace tilewire::target::cpu
