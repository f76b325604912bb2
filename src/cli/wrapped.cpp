#include "cli/wrapped.h"

#include <algorithm>

namespace tilewire::cli {

std::string wrapped(std::string_view text, size_t indent) {
  std::string out;
  std::string margin(indent, ' ');
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    do {
      size_t room = line_width - indent;
      size_t end = line.size() <= room ? line.size() : line.rfind(' ', room);
      if (end == std::string_view::npos || end == 0) end = std::min(line.size(), line.find(' '));
      out += (line.empty() ? "" : margin) + std::string(line.substr(0, end)) + "\n";
      line.remove_prefix(std::min(line.size(), end + 1));
    } while (!line.empty());
  }
  return out;
}

}  // namespace tilewire::cli
