// Programs run by the reference interpreter: slow, and right by definition.
#pragma once

#include "driver/execute/targets.h"

namespace tilewire::driver {

std::shared_ptr<Executable> compile_for_interp(const Entry& entry, const Target& target,
                                               const CompileOptions& options, Diagnostics& diags);

}  // namespace tilewire::driver
