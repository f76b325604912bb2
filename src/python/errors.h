// Diagnostics as Python exceptions and warnings.
#pragma once

#include <string>

#include "support/diagnostics.h"

namespace tilewire::python {

// Raises tilewire.ProgramError with all diagnostics.
[[noreturn]] void raise_program_error(const Diagnostics& diags);
// Raises tilewire.RunError, or a class derived from it, with all diagnostics.
[[noreturn]] void raise_run_error(const Diagnostics& diags, const char* type = "RunError");
// One Python warning per warning among the diagnostics; raises what a filter turns into an error.
void emit_warnings(const Diagnostics& diags);
// A tilewire.ReplayWarning: what the schedule that a run followed shows.
void warn_of_replay(const std::string& told);

}  // namespace tilewire::python
