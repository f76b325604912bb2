// Whether two vector lanes can share the work of a vector half, each on half the rows, or columns, of every
// tile.
//
// They can when each element that a lane computes comes from elements of the same rows (columns): element by
// element, a reduction along the other dimension, a row (column) that all share. Effects that happen once
// cannot be dealt out, and what is stored must not be met by a tile of other rows (columns).
#pragma once

#include "ir/nodes.h"
#include "passes/mixed_plan.h"
#include "passes/traits.h"

namespace tilewire::passes {

// The dimension that is halved: 0 rows, 1 columns.
int split_dimension(ir::SplitMode mode);

// Whether a lane has half of a tile of this type; otherwise all of it.
bool is_dealt(const ir::TypeRef& tile, ir::SplitMode mode);
// What a lane has of it.
ir::TypeRef lane_type(const ir::TypeRef& tile, ir::SplitMode mode);

// The mode asked for, or NONE where the lanes cannot share the work.
ir::SplitMode lane_split(const ir::Function& kernel, const MixedPlan& plan, ir::SplitMode mode,
                         const Traits& traits);

}  // namespace tilewire::passes
