#include "support/character_column.h"

#include "support/unicode.h"

namespace tilewire {

size_t character_column(const Span& span, uint32_t line, uint32_t column) {
  if (column == 0) return 0;
  const std::string_view text = span.file ? span.file->line(line) : std::string_view();
  const size_t before = column - 1;
  const std::string_view known = text.substr(0, before);
  return 1 + count_characters(known) + (before - known.size());
}

}  // namespace tilewire
