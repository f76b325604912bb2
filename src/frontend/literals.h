// Numbers and strings: where they end, and what they stand for.
//
// Scanning happens for every literal, conversion only for those that get into a tree.
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
// `text` starts with a digit, or with a point and a digit, and goes on to the end of the file.
Number scan_number(std::string_view text);

// Which 64-bit integer holds the value of an Int literal; `value` gets its low 64 bits.
enum class IntFit : uint8_t { Signed, Unsigned, Neither };
IntFit int_value(std::string_view literal, int64_t& value);
// As in Python, too large a value is infinity and too small a one zero.
double float_value(std::string_view literal);

// String, Bytes or FString for the letters in front of a quote; Error when they are not a prefix.
Tok string_kind(std::string_view prefix);

struct StringScan {
  const char* end = nullptr;  // behind the literal, or where its line ends when it is not closed
  bool line_breaks = false;
  LexError error = LexError::None;
};
// `quotes` is at the first quote. Replacement fields of f-strings may hold strings with the same quotes and
// line breaks, as from Python 3.12 on; `long_fields` becomes false when following them led nowhere, so that a
// file is not read to its end more than once.
StringScan scan_string(const char* quotes, const char* file_end, bool formatted, bool& long_fields);

struct EscapeError {
  size_t offset = 0, length = 0;  // in the literal
};
// Appends what a String literal (prefix and quotes included) stands for. False at the first escape that has
// no meaning or no UTF-8 form; the rest is appended all the same.
bool append_string(std::string& out, std::string_view literal, EscapeError& error);
// The text between the quotes when it stands for itself: no escape, no carriage return.
bool plain_string(std::string_view literal, std::string_view& text);

}  // namespace tilewire::frontend
