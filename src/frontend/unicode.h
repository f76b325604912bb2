// The little the lexer needs to know about Unicode: decoding, and which characters a name may hold.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilewire::frontend {

// Length in bytes of the character at the start of `text`, 0 when the bytes are not UTF-8 (overlong forms,
// surrogates and values above U+10FFFF are not).
size_t decode_utf8(std::string_view text, char32_t& character);
void append_utf8(std::string& out, char32_t character);

// Offset of the first byte that is not UTF-8, or npos.
size_t find_invalid_utf8(std::string_view text);

// Letters, marks and digits of any script are; punctuation, symbols, spaces and emoji are not. Names are
// compared as written, without normalisation.
bool may_be_in_name(char32_t character);

}  // namespace tilewire::frontend
