// What functions that the compiler made are called in messages.
#pragma once

#include <map>
#include <string>

#include "ir/nodes.h"

namespace tilewire::check {

// By the name of a function that `lowered` has and `written` has not: what the source calls it. A task scope
// that became a kernel has the name of the scope, or of the function it is part of; an orchestration function
// that only submits a kernel has the name of the kernel.
std::map<std::string, std::string, std::less<>> source_names(const ir::Program& written,
                                                             const ir::Program& lowered);

}  // namespace tilewire::check
