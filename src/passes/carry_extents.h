// Valid extents that change between iterations, as scalars that loops carry and branches select.
//
// The extent of a tile is the minimum of those of its operands (valid_shapes.h). Where a loop carries a tile
// it may differ in every iteration, so no expression of the kernel denotes it. This adds such scalars beside
// the tiles, so that the other half of a kernel can compute the extents of a tile that it is sent.
#pragma once

#include <map>
#include <vector>

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// The extents of a tile; null where it is full.
struct TileExtents {
  ir::ExprRef rows, cols;
};

struct CarriedExtents {
  ir::FunctionRef kernel;  // the same one when nothing had to be added
  // Of the tiles asked for; those whose extents follow from no scalars are not among them. Each may be used
  // where its tile is defined.
  std::map<const ir::Var*, TileExtents> of;
};
CarriedExtents carry_extents(const ir::FunctionRef& kernel, const std::vector<const ir::Var*>& tiles,
                             Diagnostics& diags);

}  // namespace tilewire::passes
