// Numbers for people: "0", "0 and 1", "0 to 3", "0, 2 to 4, 7".
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace tilewire {

std::string ranges_text(const std::set<int64_t>& numbers);

}  // namespace tilewire
