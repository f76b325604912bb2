// Names that other systems use for parts of the language: the help for a name that it does not have.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilewire::ops {

// The help for a name of NumPy, PyTorch, Triton, MPI or NVSHMEM: what to write instead.
std::optional<std::string> known_elsewhere(std::string_view name);

}  // namespace tilewire::ops
