// The values of dynamic dimensions in one call, from the shapes of its arguments.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "interp/code.h"

namespace tilewire::interp {

using Lookup = std::function<std::optional<int64_t>(std::string_view)>;

// Checks the arguments of a function against the declared shapes of its parameters and returns the dimensions
// that follow. `outside`: asked for dimensions that no shape fixes. Fails if shapes contradict each other.
std::map<std::string_view, int64_t> bind_dimensions(const Code& code, const std::vector<Value>& args,
                                                    const Lookup& outside);

}  // namespace tilewire::interp
