// Finds the communication groups of a program: which ranks share which window buffers.
//
// Needs: nothing beyond a verified program; every function may still be as it was written.
// Ensures: window buffers whose views go to the same ranks are slots of one group, in the order of the
// source. Groups that were written out are checked and kept. A buffer whose ranks only a call can tell, such
// as those of pl.range(1, pld.world_size()), is in no group until the pass runs again with what the call
// determines.
//
// Errors: a buffer that no rank is given, dispatches that do not fit the group, signals with too few cells
// for it, views larger than their buffer.
#pragma once

#include "ir/nodes.h"
#include "passes/host_scalars.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

ir::ProgramRef collect_comm_groups(const ir::ProgramRef& program, Diagnostics& diags);

// `known`: values of world_size(), dimensions and parameters of host functions (by name).
ir::ProgramRef collect_comm_groups(const ir::ProgramRef& program, const HostScalars::Known& known,
                                   Diagnostics& diags);

// Of a lowered program. The program as it was written is looked at first, for messages with the names of the
// source.
ir::ProgramRef collect_comm_groups(const ir::ProgramRef& written, const ir::ProgramRef& lowered,
                                   const HostScalars::Known& known, Diagnostics& diags);

// Whether some window buffer of `host` is in no group.
bool lacks_comm_groups(const ir::Program& program, const ir::Function& host);

}  // namespace tilewire::passes
