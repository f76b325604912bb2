// What is said of parameters without types that no call has given any.
#pragma once

#include <vector>

#include "frontend/sema.h"

namespace tilewire::frontend {

// If nothing at all could be typed, types are missing where the program starts, and only there: calls give
// them to the rest. Else functions that nothing calls are not checked, which is a warning.
void report_never_called(Sema& sema, const std::vector<FunctionInfo*>& roots);

}  // namespace tilewire::frontend
