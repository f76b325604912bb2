// Object files to shared objects, by the linker on PATH: the last step of building a bundle.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "support/diagnostics.h"

namespace tilewire::driver {

// The bytes of a shared object with the code of `object` (target::cpu::CompiledModule::object), which needs
// nothing but the C and math libraries. Nothing after an error.
std::optional<std::string> link_shared(std::span<const std::byte> object, Diagnostics& diags);

}  // namespace tilewire::driver
