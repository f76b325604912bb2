// Links object files to shared objects with the linker on PATH: the last step of building a bundle.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "support/diagnostics.h"

namespace tilewire::driver {

// The bytes of a shared object with the code of `object` (target::Code::object), which needs
// nothing but the C and math libraries. `build_id`: hexadecimal digits, recorded in it as its build ID.
// Empty after an error.
std::optional<std::string> link_shared(std::span<const std::byte> object, const std::string& build_id,
                                       Diagnostics& diags);

// The build ID of a shared object, in hexadecimal; empty if the bytes have none. Any bytes are accepted.
std::string build_id_of(std::string_view shared_object);

}  // namespace tilewire::driver
