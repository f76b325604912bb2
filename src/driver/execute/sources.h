// The source texts of a program, for errors that know only the name of a file and a position in it.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

// Reports an error of a run. It and its notes are shown with the source lines of `program` they are about,
// from where the op starts to its end. In a program in the function style every function has a text of its
// own.
void report_with_source(const ir::Program& program, const Diagnostic& error, Diagnostics& diags);

}  // namespace tilewire::driver
