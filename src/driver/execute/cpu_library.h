// The library with the code generator, loaded on the first compilation: LLVM is large,
// and neither the command nor a bundle needs it to start.
#pragma once

#include "support/diagnostics.h"
#include "target/cpu/compile.h"

namespace tilewire::driver {

// Loaded once. Null after reporting why it cannot be loaded.
const target::cpu::Library* cpu_library(Diagnostics& diags);

// What its code depends on besides the program: the processor and the build of the library.
const std::string& cpu_identity();

}  // namespace tilewire::driver
