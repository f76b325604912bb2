#include "frontend/literals.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "support/unicode.h"

namespace tilewire::frontend {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool in_name(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || may_be_in_name(static_cast<char32_t>(c));
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

int base_of(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return 10;
  switch (text[1] | 0x20) {
    case 'x':
      return 16;
    case 'o':
      return 8;
    case 'b':
      return 2;
    default:
      return 10;
  }
}

// Digits with single underscores between them.
size_t skip_digits(std::string_view text, size_t at, int base) {
  auto digit = [&](size_t i) { return i < text.size() && digit_value(text[i]) < base; };
  while (digit(at) || (at < text.size() && text[at] == '_' && digit(at + 1))) ++at;
  return at;
}

size_t skip_name(std::string_view text, size_t at) {
  while (at < text.size() && in_name(text[at])) ++at;
  return at;
}

// `1if x else 2` is Python: a keyword may touch a number.
bool keyword_may_follow(std::string_view word) {
  for (std::string_view keyword : {"and", "else", "for", "if", "in", "is", "not", "or"}) {
    if (word == keyword) return true;
  }
  return false;
}

std::string without_underscores(std::string_view literal) {
  std::string digits(literal);
  std::erase(digits, '_');
  return digits;
}

// Whether a decimal literal that no double can hold is too large, rather than too small: the power of ten of
// its first non-zero digit tells.
bool too_large(std::string_view digits) {
  size_t mantissa_end = std::min(digits.find_first_of("eE"), digits.size());
  auto point = static_cast<int64_t>(std::min(digits.find('.'), mantissa_end));
  auto first = static_cast<int64_t>(std::min(digits.find_first_of("123456789"), mantissa_end));
  int64_t exponent = 0;
  bool negative = false;
  for (char c : digits.substr(mantissa_end)) {
    if (c == '-') negative = true;
    if (is_digit(c)) exponent = std::min<int64_t>(exponent * 10 + (c - '0'), int64_t{1} << 40);
  }
  return point - first + (negative ? -exponent : exponent) > 0;
}

struct Quotes {
  char mark;
  bool triple;
  size_t size() const { return triple ? 3 : 1; }
  bool close_at(const char* at, const char* end) const {
    return *at == mark && (!triple || (end - at >= 3 && at[1] == mark && at[2] == mark));
  }
};

Quotes quotes_at(const char* at, const char* end) {
  return {*at, end - at >= 3 && at[1] == *at && at[2] == *at};
}

bool is_break(char c) {
  return c == '\n' || c == '\r';
}

// Behind the character after a backslash; both bytes of a CR LF count as one.
const char* skip_escaped(const char* backslash, const char* end) {
  const char* at = backslash + 1;
  if (at >= end) return end;
  return end - at >= 2 && at[0] == '\r' && at[1] == '\n' ? at + 2 : at + 1;
}

// Behind the closing quotes; null, with `stop` at the end of the line or file, when there are none.
const char* plain_end(const char* at, const char* end, Quotes quotes, const char*& stop) {
  while (at < end) {
    if (*at == '\\') {
      at = skip_escaped(at, end);
    } else if (quotes.close_at(at, end)) {
      return at + quotes.size();
    } else if (!quotes.triple && is_break(*at)) {
      break;
    } else {
      ++at;
    }
  }
  stop = at;
  return nullptr;
}

// Follows an f-string through its replacement fields and the strings inside these.
class FormattedScan {
 public:
  FormattedScan(const char* end, bool long_fields) : end_(end), long_fields_(long_fields) {}

  // Behind the closing quotes, or null.
  const char* run(const char* body, Quotes quotes) {
    at_ = body;
    push(Mode::Text, quotes);
    while (at_ < end_ && size_ != 0) {
      if (!(frames_[size_ - 1].mode == Mode::Field ? step_field() : step_text())) return nullptr;
    }
    return size_ == 0 ? at_ : nullptr;
  }
  bool reached_end() const { return at_ >= end_; }

 private:
  enum class Mode : uint8_t { Text, Field, Format };
  struct Frame {
    Mode mode;
    Quotes quotes;
    uint32_t brackets;
  };

  bool push(Mode mode, Quotes quotes) {
    if (size_ == std::size(frames_)) return false;
    frames_[size_++] = {mode, quotes, 0};
    return true;
  }

  bool step_text() {
    Frame& frame = frames_[size_ - 1];
    char c = *at_;
    if (c == '\\') {
      bool brace = end_ - at_ >= 2 && (at_[1] == '{' || at_[1] == '}');
      at_ = brace ? at_ + 1 : skip_escaped(at_, end_);
    } else if (c == '{') {
      bool doubled = frame.mode == Mode::Text && end_ - at_ >= 2 && at_[1] == '{';
      at_ += doubled ? 2 : 1;
      return doubled || push(Mode::Field, frame.quotes);
    } else if (c == '}') {
      ++at_;
      if (frame.mode == Mode::Format) --size_;
    } else if (frame.quotes.close_at(at_, end_)) {
      if (frame.mode == Mode::Format) return false;
      at_ += frame.quotes.size();
      --size_;
    } else if (is_break(c) && !frame.quotes.triple) {
      return false;
    } else {
      ++at_;
    }
    return true;
  }

  bool step_field() {
    Frame& frame = frames_[size_ - 1];
    char c = *at_;
    if (c == '"' || c == '\'') return nested_string();
    if (c == '#') {
      while (at_ < end_ && !is_break(*at_)) ++at_;
      return true;
    }
    if (is_break(c) && !frame.quotes.triple && !long_fields_) return false;
    if (c == '(' || c == '[' || c == '{') ++frame.brackets;
    if (c == ':' && frame.brackets == 0) frame.mode = Mode::Format;
    if (c == '}' && frame.brackets == 0) {
      --size_;
    } else if ((c == ')' || c == ']' || c == '}') && frame.brackets != 0) {
      --frame.brackets;
    }
    ++at_;
    return true;
  }

  bool nested_string() {
    const char* prefix = at_;
    while (at_ - prefix < 3 && in_name(prefix[-1])) --prefix;
    bool formatted = string_kind({prefix, static_cast<size_t>(at_ - prefix)}) == Tok::FString;
    Quotes quotes = quotes_at(at_, end_);
    at_ += quotes.size();
    if (formatted) return push(Mode::Text, quotes);
    const char* stop = nullptr;
    const char* after = plain_end(at_, end_, quotes, stop);
    at_ = after ? after : stop;
    return after != nullptr;
  }

  const char* at_ = nullptr;
  const char* end_;
  bool long_fields_;
  size_t size_ = 0;
  Frame frames_[64];
};

}  // namespace

Number scan_number(std::string_view text) {
  Number result;
  int base = base_of(text);
  size_t at = base == 10 ? skip_digits(text, 0, 10)
                         : skip_digits(text, 2 + (text.size() > 2 && text[2] == '_'), base);
  bool bad = base != 10 && digit_value(text[at - 1]) >= base;
  if (base == 10) {
    size_t int_end = at;
    if (at < text.size() && text[at] == '.') at = skip_digits(text, at + 1, 10);
    if (at > int_end + 1 && text[int_end + 1] == '_') at = int_end + 1;
    if (at < text.size() && (text[at] | 0x20) == 'e') {
      size_t digits = at + 1;
      if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
      if (digits < text.size() && is_digit(text[digits])) at = skip_digits(text, digits, 10);
    }
    result.is_float = at > int_end;
    bool zeros = text.substr(0, int_end).find_first_not_of("0_") == std::string_view::npos;
    if (at < text.size() && (text[at] | 0x20) == 'j' && skip_name(text, at) == at + 1) {
      ++at;
      result.error = LexError::ComplexNumber;
    } else if (!result.is_float && text[0] == '0' && !zeros) {
      result.error = LexError::LeadingZeros;
    }
  }
  size_t name_end = skip_name(text, at);
  if (name_end != at && !keyword_may_follow(text.substr(at, name_end - at))) {
    bad = true;
    at = name_end;
  }
  if (bad) result.error = LexError::BadNumber;
  result.length = at;
  return result;
}

IntFit int_value(std::string_view literal, int64_t& value) {
  uint64_t base = base_of(literal);
  if (base != 10) literal.remove_prefix(2);
  uint64_t result = 0;
  bool fits = true;
  if (base == 10 && literal.size() <= 18) {
    for (char c : literal) {
      if (c != '_') result = result * 10 + static_cast<uint64_t>(c - '0');
    }
    value = static_cast<int64_t>(result);
    return IntFit::Signed;
  }
  for (char c : literal) {
    if (c == '_') continue;
    uint64_t digit = digit_value(c);
    fits = fits && result <= (std::numeric_limits<uint64_t>::max() - digit) / base;
    result = result * base + digit;
  }
  value = static_cast<int64_t>(result);
  return !fits ? IntFit::Neither : value < 0 ? IntFit::Unsigned : IntFit::Signed;
}

double float_value(std::string_view literal) {
  std::string digits = without_underscores(literal);
  double value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc::result_out_of_range) return value;
  return too_large(digits) ? std::numeric_limits<double>::infinity() : 0.0;
}

Tok string_kind(std::string_view prefix) {
  if (prefix.empty()) return Tok::String;
  if (prefix.size() > 2) return Tok::Error;
  char first = static_cast<char>(prefix[0] | 0x20);
  char second = prefix.size() == 2 ? static_cast<char>(prefix[1] | 0x20) : '\0';
  if (second == 'r') std::swap(first, second);
  if (second != '\0' && first != 'r') return Tok::Error;
  char kind = second != '\0' ? second : first;
  switch (kind) {
    case 'r':
      return second == '\0' ? Tok::String : Tok::Error;
    case 'u':
      return second == '\0' ? Tok::String : Tok::Error;
    case 'b':
      return Tok::Bytes;
    case 'f':
    case 't':
      return Tok::FString;
    default:
      return Tok::Error;
  }
}

StringScan scan_string(const char* start, const char* file_end, bool formatted, bool& long_fields) {
  Quotes quotes = quotes_at(start, file_end);
  const char* body = start + quotes.size();
  StringScan result;
  const char* stop = nullptr;
  if (!formatted) {
    result.end = plain_end(body, file_end, quotes, stop);
  } else {
    FormattedScan scan(file_end, long_fields);
    result.end = scan.run(body, quotes);
    if (!result.end && !quotes.triple) {
      if (scan.reached_end()) long_fields = false;
      // Not closed as an f-string: it ends with its line.
      stop = body;
      while (stop < file_end && !is_break(*stop)) ++stop;
    } else if (!result.end) {
      stop = file_end;
    }
  }
  if (!result.end) {
    result.end = stop;
    result.error = quotes.triple ? LexError::UnterminatedTripleString : LexError::UnterminatedString;
  }
  result.line_breaks = memchr(start, '\n', result.end - start) != nullptr;
  return result;
}

namespace {

struct Body {
  std::string_view text;
  size_t offset;  // in the literal
  bool raw;
};

Body body_of(std::string_view literal) {
  size_t prefix = 0;
  bool raw = false;
  for (; literal[prefix] != '"' && literal[prefix] != '\''; ++prefix)
    raw = raw || (literal[prefix] | 0x20) == 'r';
  size_t quotes = quotes_at(literal.data() + prefix, literal.data() + literal.size()).size();
  return {literal.substr(prefix + quotes, literal.size() - prefix - 2 * quotes), prefix + quotes, raw};
}

// Reads up to `limit` digits of `base`; the count read.
size_t read_digits(std::string_view text, size_t limit, int base, char32_t& value) {
  size_t count = 0;
  value = 0;
  for (; count < limit && count < text.size() && digit_value(text[count]) < base; ++count) {
    value = value * base + digit_value(text[count]);
  }
  return count;
}

// One escape at the backslash `text` starts with; its length, and whether it has a meaning.
size_t append_escape(std::string& out, std::string_view text, bool& good) {
  constexpr std::string_view letters = "abfnrtv\\'\"", meanings = "\a\b\f\n\r\t\v\\'\"";
  char c = text[1];
  if (size_t i = letters.find(c); i != std::string_view::npos) {
    out += meanings[i];
    return 2;
  }
  if (c == '\n') return 2;
  if (c == '\r') return text.size() > 2 && text[2] == '\n' ? 3 : 2;
  char32_t value;
  if (size_t count = read_digits(text.substr(1), 3, 8, value); count != 0) {
    append_utf8(out, value);
    return 1 + count;
  }
  size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits != 0) {
    size_t count = read_digits(text.substr(2), digits, 16, value);
    good = count == digits && value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
    if (good) append_utf8(out, value);
    return 2 + count;
  }
  if (c == 'N') {
    good = false;
    size_t close = text.find('}');
    return text.size() > 2 && text[2] == '{' && close != std::string_view::npos ? close + 1 : 2;
  }
  out += '\\';  // Python keeps a backslash that starts no escape
  return 1;
}

}  // namespace

bool plain_string(std::string_view literal, std::string_view& text) {
  Body body = body_of(literal);
  text = body.text;
  return text.find_first_of(body.raw ? "\r" : "\\\r") == std::string_view::npos;
}

bool append_string(std::string& out, std::string_view literal, EscapeError& error) {
  Body body = body_of(literal);
  std::string_view text = body.text;
  bool all_good = true;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '\\' && !body.raw && i + 1 < text.size()) {
      bool good = true;
      size_t length = append_escape(out, text.substr(i), good);
      if (!good && all_good) error = {body.offset + i, length};
      all_good = all_good && good;
      i += length;
    } else if (text[i] == '\r') {
      out += '\n';
      i += i + 1 < text.size() && text[i + 1] == '\n' ? 2 : 1;
    } else {
      size_t stop = std::min(text.find_first_of("\\\r", i + 1), text.size());
      out.append(text, i, stop - i);
      i = stop;
    }
  }
  return all_good;
}

}  // namespace tilewire::frontend
