// Window buffers made from their allocation.
#pragma once

#include "ir/op.h"

namespace tilewire::ops {

// The buffer that `base = pld.alloc_window_buffer(...)` allocates: named after `base`, its size in bytes a
// constant where the call's sizes are, else scalar arithmetic. `alloc` has passed its type rule.
ir::WindowBufferRef make_window_buffer(const ir::VarRef& base, const ir::Call& alloc);

}  // namespace tilewire::ops
