// The function that a run starts from.
#pragma once

#include <string>
#include <string_view>

#include "driver/execute/arguments.h"
#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

struct Entry {
  ir::ProgramRef program;  // with a pass-through orchestration function when the entry is a kernel
  ir::FunctionRef function;
  std::string name;  // of the function that the user wrote
};

// By name; else the only host function; else the only orchestration function; else the only kernel. The
// function is null after reporting why there is none.
Entry find_entry(const ir::ProgramRef& program, std::string_view name, Diagnostics& diags);

// With a pass-through orchestration function for every kernel that nothing calls and that takes no window.
ir::ProgramRef with_pass_throughs(const ir::ProgramRef& program);

Signature signature_of(const Entry& entry);

}  // namespace tilewire::driver
