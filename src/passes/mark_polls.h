// Finds the loops that poll signal cells.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// Sets While::poll for each `while` of a kernel or an orchestration function whose iteration looks at signal
// cells, writes and submits nothing, and passes to the next iteration only values read from cells, constants,
// and values that do not change. A compare-and-exchange counts as a look as long as it fails. An iteration
// that passes on what it was given and replaced nothing changes nothing, so a target may let the loop sleep
// until one of the cells changes, and knows that it is waiting.
ir::ProgramRef mark_polls(const ir::ProgramRef& program, Diagnostics& diags);

// Whether a call looks at possible signal cells (a test, a wait, an element read of an INT32 tensor) and
// touches no other memory, or updates a cell at once. A loop that makes such calls may be waiting for others.
bool uses_cells(const ir::Call& call);

// Whether a call may make the effects of other tasks visible: it sees a cell, waits, or updates one.
bool may_acquire(const ir::Call& call);

}  // namespace tilewire::passes
