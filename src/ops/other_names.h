// What other systems call the parts of the language: the help for a name that it does not have.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilewire::ops {

// A sentence that says what to write for a name of NumPy, PyTorch, Triton, MPI or NVSHMEM.
std::optional<std::string> known_elsewhere(std::string_view name);

}  // namespace tilewire::ops
