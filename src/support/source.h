// Source text and places in it.
//
// A Span keeps its file alive, so a diagnostic can show the line long after parsing, also for IR that was
// read back from bytes. Lines and columns count from 1; columns are bytes, and are turned into characters
// only when a diagnostic is rendered. A default Span means "no place".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/ref.h"

namespace tilewire {

class SourceFile final : public RefCounted {
 public:
  // `first_line`: the number of the text's first line, for text cut out of a larger file.
  SourceFile(std::string name, std::string text, uint32_t first_line = 1);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  uint32_t first_line() const { return first_line_; }

  // The text of one line without its line break; empty when the file has no such line.
  std::string_view line(uint32_t number) const;

 private:
  std::string name_;
  std::string text_;
  uint32_t first_line_;
  std::vector<uint32_t> line_starts_;
};

struct Span {
  Ref<const SourceFile> file;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t end_line = 0;
  uint32_t end_column = 0;  // one past the last byte

  explicit operator bool() const { return line != 0; }
};

// From the start of `first` to the end of `last`.
Span join(const Span& first, const Span& last);

// `file:line:column` with the column in characters, or `<unknown>`.
std::string to_string(const Span& span);

}  // namespace tilewire
