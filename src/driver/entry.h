// The function a run starts from.
#pragma once

#include <string>
#include <string_view>

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

struct Entry {
  ir::ProgramRef program;  // with a pass-through orchestration function when the entry is a kernel
  ir::FunctionRef function;
};

// By name; else the only host function; else the only orchestration function; else the only kernel. The
// function is null after reporting why there is none.
Entry find_entry(const ir::ProgramRef& program, std::string_view name, Diagnostics& diags);

}  // namespace tilewire::driver
