// The properties of the machine that native code depends on, as names that a bundle can store.
#pragma once

#include <string>
#include <vector>

namespace tilewire::driver {

// "x86_64-linux-gnu"
const char* machine_triple();

// Extensions of this processor that the code generator may use, as LLVM names them, in a fixed order.
std::vector<std::string> cpu_features();

}  // namespace tilewire::driver
