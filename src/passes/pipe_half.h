// One half of a kernel, with its pushes, pops and frees written as accesses to slots and cells.
#pragma once

#include <vector>

#include "ir/nodes.h"
#include "ops/pipe.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// What a half knows of where it runs, as the last parameters of its lowered form.
struct PipePlace {
  ir::VarRef cells;   // INT32 [blocks * cells of a block, ops::cell_line]
  ir::VarRef shard;   // where the workspace of this block starts, in bytes
  ir::VarRef block;   // number of the block
  ir::VarRef blocks;  // how many there are
  ir::VarRef lane;    // number of the vector lane
};

// The half as a function of its parameters and those of PipePlace in that order. `lanes`: vector lanes that
// run beside the cube half. `early`: Traits::pushes_wait_early.
//
// A ring is used in the order of program: the n-th push takes slot n % slots, and so do the n-th pop and the
// n-th free. How many there have been is a value that loops and branches carry.
ir::FunctionRef lower_half(const ir::Function& half, const std::vector<ops::Pipe>& pipes, int64_t lanes,
                           bool early, Diagnostics& diags);

}  // namespace tilewire::passes
