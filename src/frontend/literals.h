// Numbers and strings: where they end, and which value they denote.
//
// Every literal is scanned; only literals that become part of a tree are converted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/lexer.h"

namespace tilewire::frontend {

struct Number {
  size_t length = 0;
  bool is_float = false;
  LexError error = LexError::None;
};
// `text` starts with a digit, or with a point and a digit, and extends to the end of the file.
Number scan_number(std::string_view text);

// Which 64-bit integer holds the value of an Int literal; `value` gets its low 64 bits.
enum class IntFit : uint8_t { Signed, Unsigned, Neither };
IntFit int_value(std::string_view literal, int64_t& value);
// As in Python, too large a value is infinity and too small a one zero.
double float_value(std::string_view literal);

// String, Bytes or FString for the letters before a quote; Error if they are not a prefix.
Tok string_kind(std::string_view prefix);

struct StringScan {
  const char* end = nullptr;  // after the literal, or the end of its line if it is unterminated
  bool line_breaks = false;
  LexError error = LexError::None;
};
// `quotes` points at the first quote. As in Python 3.12, replacement fields of f-strings may contain strings
// with the same quotes and line breaks. `long_fields` becomes false when following one failed, so that a
// file is read to its end at most once.
StringScan scan_string(const char* quotes, const char* file_end, bool formatted, bool& long_fields);

struct EscapeError {
  size_t offset = 0, length = 0;  // in the literal
};
// Appends the value of a String literal (`text` includes prefix and quotes). Returns false at the first
// invalid escape, or one without a UTF-8 form; the rest is still appended.
bool append_string(std::string& out, std::string_view literal, EscapeError& error);
// The text between the quotes, if it contains no escape and no carriage return.
bool plain_string(std::string_view literal, std::string_view& text);

}  // namespace tilewire::frontend
