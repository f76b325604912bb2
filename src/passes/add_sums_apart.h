// Sums that products do not start, on targets whose cube core takes no others.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// A product becomes a product and a sum where it is added to a tile that is neither zeros nor products so
// far, or takes a bias that is not a row just loaded.
ir::ProgramRef add_sums_apart(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
