// The host side of a program emitted for PTO: its source, the interface it is written against, the kernel
// table and the communication manifest.
#pragma once

#include <optional>
#include <vector>

#include "driver/execute/targets.h"
#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

// `lowered`: for PTO. Nothing after reporting errors.
std::optional<std::vector<EmittedFile>> pto_host_files(const ir::ProgramRef& lowered, Diagnostics& diags);

}  // namespace tilewire::driver
