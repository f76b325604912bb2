// Identifies the program of a schedule.
#pragma once

#include <string>

#include "ir/nodes.h"

namespace tilewire::driver {

// Of the functions that `entry` reaches, with their line numbers. It does not depend on where the
// program was read from.
std::string schedule_digest(const ir::Program& program, const ir::Function& entry);

}  // namespace tilewire::driver
