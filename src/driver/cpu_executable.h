// Programs as native code on this machine's cores.
#pragma once

#include "driver/entry.h"
#include "driver/executable.h"

namespace tilewire::driver {

std::shared_ptr<Executable> compile_for_cpu(const Entry& entry, const CompileOptions& options,
                                            Diagnostics& diags);

}  // namespace tilewire::driver
