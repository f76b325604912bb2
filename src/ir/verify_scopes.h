// The part of the verifier that looks at what a `pl.scope` frees.
#pragma once

#include <vector>

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::ir {

// Reports uses of tensors after the `pl.scope` that created them. The functions have no other errors.
void check_scoped_storage(const std::vector<const Function*>& callees_first, Diagnostics& diags);

}  // namespace tilewire::ir
