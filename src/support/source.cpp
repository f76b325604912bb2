#include "support/source.h"

#include <algorithm>

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
  std::string_view line = span.file ? span.file->line(span.line) : std::string_view();
  size_t bytes = std::min<size_t>(span.column - 1, line.size());
  auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  size_t column = 1 + std::count_if(line.begin(), line.begin() + bytes, is_start) + (span.column - 1 - bytes);
  return name + ":" + std::to_string(span.line) + ":" + std::to_string(column);
}

}  // namespace tilewire
