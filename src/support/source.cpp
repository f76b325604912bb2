#include "support/source.h"

#include "support/character_column.h"

namespace tilewire {

SourceFile::SourceFile(std::string name, std::string text, uint32_t first_line)
    : name_(std::move(name)), text_(std::move(text)), first_line_(first_line) {
  line_starts_.push_back(0);
  for (size_t i = 0; (i = text_.find('\n', i)) != std::string::npos;) line_starts_.push_back(++i);
}

std::string_view SourceFile::line(uint32_t number) const {
  if (number < first_line_ || number - first_line_ >= line_starts_.size()) return {};
  uint32_t index = number - first_line_;
  size_t begin = line_starts_[index];
  size_t end = index + 1 < line_starts_.size() ? line_starts_[index + 1] - 1 : text_.size();
  std::string_view result(text_.data() + begin, end - begin);
  if (!result.empty() && result.back() == '\r') result.remove_suffix(1);
  return result;
}

Span join(const Span& first, const Span& last) {
  if (!first) return last;
  if (!last || first.file != last.file) return first;
  Span result = first;
  if (std::pair(last.end_line, last.end_column) > std::pair(first.end_line, first.end_column)) {
    result.end_line = last.end_line;
    result.end_column = last.end_column;
  }
  return result;
}

std::string to_string(const Span& span) {
  std::string name = span.file ? span.file->name() : "<unknown>";
  if (!span) return name;
  return name + ":" + std::to_string(span.line) + ":" +
         std::to_string(character_column(span, span.line, span.column));
}

}  // namespace tilewire
