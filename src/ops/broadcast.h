// Which op the operators on tiles mean when one operand is a column [r, 1] or a row [1, c].
#pragma once

#include "ir/op.h"

namespace tilewire::ops {

// The fused op (`tile.row_expand_add`, ...) that does `op` on a tile `a` of [r, c] and a vector `b` of [r, 1]
// or [1, c]; null when there is none for `op` or the shapes are others. The fused op takes (a, b) as they
// are.
const ir::Op* expanded_form(const ir::Op& op, const ir::TileType& a, const ir::TileType& b);

// `tile.row_expand` or `tile.col_expand`, whichever makes a tile of the shape of `full` from `vector`, for
// the cases without a fused form (`vector - tile`, comparisons); called with (vector, [r, c]). Null when
// neither.
const ir::Op* expansion(const ir::TileType& vector, const ir::TileType& full);

}  // namespace tilewire::ops
