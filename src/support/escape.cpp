#include "support/escape.h"

#include <cstdint>
#include <cstdio>

namespace tilewire {
namespace {

// Bytes of the well-formed sequence at the start of `text`; 0: there is none.
size_t sequence_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  uint32_t code = byte(0) & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code >= least[length] && code <= 0x10FFFF && !surrogate ? length : 0;
}

// `put` adds an ASCII character; everything else is passed on as it is.
template <class F>
std::string escaped(std::string_view text, F put) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (size_t i = 0; i < text.size();) {
    const size_t length = sequence_length(text.substr(i));
    if (length == 0) {
      out += "\uFFFD";
      ++i;
    } else if (length == 1) {
      put(out, text[i++]);
    } else {
      out += text.substr(i, length);
      i += length;
    }
  }
  return out;
}

}  // namespace

std::string html_escaped(std::string_view text) {
  return escaped(text, [](std::string& out, char c) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') || c == 0x7F) {
          out += "\uFFFD";
        } else {
          out += c;
        }
    }
  });
}

std::string json_quoted(std::string_view text) {
  return "\"" +
         escaped(text,
                 [](std::string& out, char c) {
                   if (c == '"' || c == '\\') {
                     out += '\\';
                     out += c;
                   } else if (static_cast<unsigned char>(c) < 0x20) {
                     char code[8];
                     std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
                     out += code;
                   } else {
                     out += c;
                   }
                 }) +
         "\"";
}

}  // namespace tilewire
