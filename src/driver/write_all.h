#pragma once

#include <string_view>

namespace tilewire::driver {

// All of the bytes to an open file, in as many writes as it takes. False: errno says why.
bool write_all(int file, std::string_view bytes);

}  // namespace tilewire::driver
