#pragma once

#include <string_view>

namespace tilewire::driver {

// Writes all of the bytes to an open file, in as many calls as it takes. False: errno has the reason.
bool write_all(int file, std::string_view bytes);

}  // namespace tilewire::driver
