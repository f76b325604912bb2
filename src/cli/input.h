// Getting the program a command is to work on.
#pragma once

#include <string>

#include "cli/commands.h"
#include "ir/nodes.h"

namespace tilewire::cli {

struct Input {
  ir::ProgramRef program;  // null: nothing to work on, and it has been said why
  int exit_code = Fine;
};

// Reads, checks and verifies; says every error and warning on standard error.
Input read_input(const InputOptions& options);

}  // namespace tilewire::cli
