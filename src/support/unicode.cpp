#include "support/unicode.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tilewire {
namespace {

struct Block {
  char32_t first, last;
};

// Above ASCII, what is not a letter, mark or digit, in blocks; a stray character deep inside a script counts
// as a letter there, which is harmless: it makes a name that nothing else defines.
constexpr Block not_in_names[] = {
    {0x80, 0xA9},        {0xAB, 0xB4},     {0xB6, 0xB6},       {0xB8, 0xB9},       {0xBB, 0xBF},
    {0xD7, 0xD7},        {0xF7, 0xF7},     {0x2C2, 0x2C5},     {0x2D2, 0x2DF},     {0x37E, 0x37E},
    {0x387, 0x387},      {0x60C, 0x60D},   {0x61B, 0x61F},     {0x66A, 0x66D},     {0x964, 0x965},
    {0x1680, 0x1680},    {0x2000, 0x203E}, {0x2041, 0x2053},   {0x2055, 0x2070},   {0x2074, 0x207E},
    {0x2080, 0x208F},    {0x20A0, 0x20CF}, {0x2190, 0x2BFF},   {0x2E00, 0x2E7F},   {0x3000, 0x3004},
    {0x3008, 0x3020},    {0x3030, 0x3030}, {0x303D, 0x3040},   {0x30A0, 0x30A0},   {0xD800, 0xF8FF},
    {0xFD3E, 0xFD3F},    {0xFE10, 0xFE1F}, {0xFE30, 0xFE32},   {0xFE35, 0xFE4C},   {0xFE50, 0xFE6F},
    {0xFEFF, 0xFEFF},    {0xFF01, 0xFF0F}, {0xFF1A, 0xFF20},   {0xFF3B, 0xFF3E},   {0xFF40, 0xFF40},
    {0xFF5B, 0xFF65},    {0xFFE0, 0xFFFF}, {0x1D100, 0x1D1FF}, {0x1F000, 0x1FBEF}, {0xE0000, 0xE00FF},
    {0xF0000, 0x10FFFF},
};

}  // namespace

size_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char byte) { return !continues_character(byte); });
}

std::string_view first_bytes(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && continues_character(text[most])) --most;
  return text.substr(0, most);
}

size_t decode_utf8(std::string_view text, char32_t& character) {
  if (text.empty()) return 0;
  unsigned char lead = text[0];
  if (lead < 0x80) {
    character = lead;
    return 1;
  }
  size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  char32_t value = lead & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if (!continues_character(text[i])) return 0;
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return 0;
  character = value;
  return length;
}

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      out += static_cast<char>(0xE0 | c >> 12);
    } else {
      out += static_cast<char>(0xF0 | c >> 18);
      out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    }
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
  }
  out += static_cast<char>(0x80 | (c & 0x3F));
}

size_t find_invalid_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    uint64_t word;
    if (text.size() - i >= sizeof word) {
      std::memcpy(&word, text.data() + i, sizeof word);
      if ((word & 0x8080808080808080) == 0) {
        i += sizeof word;
        continue;
      }
    }
    char32_t ignored;
    size_t length = decode_utf8(text.substr(i, 4), ignored);
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

bool may_be_in_name(char32_t c) {
  if (c < 0x80) return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
  auto block = std::lower_bound(std::begin(not_in_names), std::end(not_in_names), c,
                                [](const Block& b, char32_t value) { return b.last < value; });
  return block == std::end(not_in_names) || c < block->first;
}

bool is_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (size_t i = 0; i < text.size();) {
    char32_t character;
    size_t length = decode_utf8(text.substr(i, 4), character);
    if (length == 0 || !may_be_in_name(character)) return false;
    i += length;
  }
  return true;
}

}  // namespace tilewire
