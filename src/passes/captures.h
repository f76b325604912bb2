// What a piece of code uses from around it.
#pragma once

#include <string>
#include <vector>

#include "ir/nodes.h"

namespace tilewire::passes {

struct Captures {
  std::vector<ir::VarRef> vars;   // used and not defined inside, in order of first use
  std::vector<std::string> dims;  // dynamic dimensions named in expressions or types
};

Captures captures_of(const ir::Block& body);

}  // namespace tilewire::passes
