#include "support/character_column.h"

#include <algorithm>

namespace tilewire {

size_t character_column(const Span& span, uint32_t line, uint32_t column) {
  if (column == 0) return 0;
  const std::string_view text = span.file ? span.file->line(line) : std::string_view();
  const size_t before = column - 1;
  const std::string_view known = text.substr(0, before);
  auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return 1 + std::count_if(known.begin(), known.end(), starts) + (before - known.size());
}

}  // namespace tilewire
