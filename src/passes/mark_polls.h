// Finds the loops that poll signal cells.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// Sets While::poll for each `while` of a kernel or an orchestration function whose round looks at signal
// cells, writes and submits nothing, and hands on to the next round only what it read from cells, constants,
// and values that stay as they are. A compare that replaces what it finds is a look as long as it fails. A
// round that hands on what it was given and replaced nothing changes nothing, so a target may let such a loop
// sleep until one of the cells changes, and knows that it is waiting.
ir::ProgramRef mark_polls(const ir::ProgramRef& program, Diagnostics& diags);

// Whether a call looks at what may be signal cells (a test, a wait, an element read of an INT32 tensor) and
// touches no other memory, or updates a cell at once. A loop that makes such calls may be waiting for others.
bool uses_cells(const ir::Call& call);

// Whether a call may make visible what other tasks have done: it sees a cell, waits, or updates one.
bool may_acquire(const ir::Call& call);

}  // namespace tilewire::passes
