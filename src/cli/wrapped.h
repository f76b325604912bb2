// Text for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilewire::cli {

inline constexpr size_t line_width = 110;

// Breaks at spaces so that no line is longer than line_width; keeps the text's own line breaks.
std::string wrapped(std::string_view text, size_t indent);

}  // namespace tilewire::cli
