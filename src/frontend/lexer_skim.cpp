// Finding the end of a block without reading it.
#include <array>
#include <string_view>

#include "frontend/lexer.h"

namespace tilewire::frontend {
namespace {

constexpr std::array<bool, 256> make_plain() {
  std::array<bool, 256> plain{};
  for (bool& p : plain) p = true;
  for (unsigned char c : std::string_view("()[]{}#\\\n\r'\"")) plain[c] = false;
  return plain;
}
// What has no meaning for where a line ends.
constexpr std::array<bool, 256> plain = make_plain();

// Walks over text of the plain kind; every function is false where the text is of another.
class Skim {
 public:
  Skim(const char* at, const char* end) : begin_(at), at_(at), end_(end) {}

  // The rest of the line that opens the block: nothing, or a comment.
  bool header() {
    skip_spaces();
    if (at_ < end_ && *at_ == '#') comment();
    return at_ == end_ || line_break();
  }

  // Lines until one that holds code in column `limit` or before it; stops at the start of that line.
  bool block(uint32_t limit) {
    while (at_ < end_) {
      const char* line = at_;
      skip_spaces();
      if (at_ < end_ && *at_ == '#') comment();
      if (at_ == end_) return true;
      if (*at_ == '\n' || *at_ == '\r') {
        if (!line_break()) return false;
        continue;
      }
      if (*at_ == '\t' || *at_ == '\f') return false;  // columns are not what they seem
      if (static_cast<uint32_t>(at_ - line) <= limit) {
        at_ = line;
        return true;
      }
      if (!logical_line()) return false;
    }
    return true;
  }

  const char* at() const { return at_; }
  const char* line_start() const { return line_start_; }
  uint32_t lines() const { return lines_; }

 private:
  void skip_spaces() {
    while (at_ < end_ && *at_ == ' ') ++at_;
  }
  void comment() {
    while (at_ < end_ && *at_ != '\n' && *at_ != '\r') ++at_;
  }
  bool line_break() {
    if (*at_ == '\r') ++at_;
    if (at_ == end_ || *at_ != '\n') return false;
    new_line();
    return true;
  }
  void new_line() {
    ++at_;
    ++lines_;
    line_start_ = at_;
  }

  bool logical_line() {
    int depth = 0;
    for (;;) {
      while (at_ < end_ && plain[static_cast<unsigned char>(*at_)]) ++at_;
      if (at_ == end_) return depth == 0;
      switch (*at_) {
        case '(':
        case '[':
        case '{':
          ++depth;
          ++at_;
          break;
        case ')':
        case ']':
        case '}':
          if (depth-- == 0) return false;
          ++at_;
          break;
        case '#':
          comment();
          break;
        case '\\':
          ++at_;
          if (at_ == end_ || !line_break()) return false;
          break;
        case '\n':
        case '\r':
          if (!line_break()) return false;
          if (depth == 0) return true;
          break;
        default:
          if (!string()) return false;
      }
    }
  }

  bool string() {
    // Inside an f-string there may be further strings.
    for (const char* prefix = at_; prefix > begin_ && at_ - prefix < 2;) {
      char c = *--prefix;
      if (c == 'f' || c == 'F') return false;
      if (c != 'r' && c != 'R' && c != 'b' && c != 'B') break;
    }
    const char quote = *at_;
    bool triple = end_ - at_ >= 3 && at_[1] == quote && at_[2] == quote;
    at_ += triple ? 3 : 1;
    for (; at_ < end_; ++at_) {
      if (*at_ == quote && !triple) break;
      if (*at_ == quote && end_ - at_ >= 3 && at_[1] == quote && at_[2] == quote) break;
      if (*at_ == '\r') return false;
      if (*at_ == '\\' && ++at_ == end_) return false;
      if (*at_ != '\n') continue;
      if (!triple && at_[-1] != '\\') return false;
      ++lines_;
      line_start_ = at_ + 1;
    }
    if (at_ == end_) return false;
    at_ += triple ? 3 : 1;
    return true;
  }

  const char* const begin_;
  const char* at_;
  const char* const end_;
  const char* line_start_ = nullptr;
  uint32_t lines_ = 0;
};

}  // namespace

bool Lexer::skim_block() {
  const Indentation outer = indents_.back();
  if (phase_ != Phase::Inline || depth_ != 0 || outer.column != outer.tab_is_one) return false;
  Skim skim(at_, end_);
  if (!skim.header() || !skim.block(outer.column)) return false;
  at_ = skim.at();
  line_ += skim.lines();
  if (skim.line_start()) line_start_ = skim.line_start();
  phase_ = Phase::LineStart;
  return true;
}

}  // namespace tilewire::frontend
