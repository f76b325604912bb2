// "Did you mean": the nearest of a list of names, if one is near enough to be a typing error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewire {

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tilewire
