// The parts of Unicode that we need: UTF-8, and which characters a name may contain.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilewire {

// Whether a byte of UTF-8 is inside a character and not its first byte.
inline bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}
// The number of characters; bytes that are not UTF-8 count if they do not continue a character.
size_t count_characters(std::string_view text);
// At most `most` bytes from the start, whole characters.
std::string_view first_bytes(std::string_view text, size_t most);

// Length in bytes of the character at the start of `text`, 0 when the bytes are not UTF-8 (overlong forms,
// surrogates and values above U+10FFFF are not).
size_t decode_utf8(std::string_view text, char32_t& character);
void append_utf8(std::string& out, char32_t character);

// Offset of the first byte that is not UTF-8, or npos.
size_t find_invalid_utf8(std::string_view text);

// Letters, marks and digits of any script are; punctuation, symbols, spaces and emoji are not. Names are
// compared as written, without normalisation.
bool may_be_in_name(char32_t character);
// Letters, digits and underscores of which the first is not a digit: what the lexer reads as a name or
// keyword.
bool is_name(std::string_view text);

}  // namespace tilewire
