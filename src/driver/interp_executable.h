// Programs run by the reference interpreter: slow, and right by definition.
#pragma once

#include "driver/entry.h"
#include "driver/executable.h"

namespace tilewire::driver {

std::shared_ptr<Executable> compile_for_interp(const Entry& entry, Diagnostics& diags);

}  // namespace tilewire::driver
