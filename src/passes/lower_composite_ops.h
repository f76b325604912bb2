// Writes collectives in kernels as the programs over signals and remote memory that they are.
#pragma once

#include "ir/nodes.h"
#include "passes/traits.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// Every call of a collective in a kernel becomes loops of remote loads and stores between barriers; a kernel
// that is launched with several blocks splits the work over them. All use the signal in the same way, as
// credits: a cell is added to by one block of one rank and taken from by its owner, in the same order, so
// that cells are back at zero when every rank has returned and any collective may follow any other. Cells are
// numbered by the ranks of the window's group, also in a sub-group, so this holds across sub-groups.
//
// Needs: kernels over tiles (convert_tensor_to_tile_ops). Ensures: no collective is left in a kernel. A
// second run changes nothing. What a sub-group is, is left to lower_subgroups.
ir::ProgramRef lower_composite_ops(const ir::ProgramRef& program, const Traits& traits, Diagnostics& diags);

// Whether it is an op that the pass writes out, and whether the program has one, on the host or in a kernel.
bool is_composite(const ir::Op& op);
bool has_composite_ops(const ir::Program& program);
// Which operands of such an op are its signal and its sub-group.
size_t signal_slot(const ir::Op& op);
size_t group_slot(const ir::Op& op);

}  // namespace tilewire::passes
