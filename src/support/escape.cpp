#include "support/escape.h"

#include <cstdio>

#include "support/unicode.h"

namespace tilewire {
namespace {

// `put` adds an ASCII character; everything else is passed on as it is.
template <class F>
std::string escaped(std::string_view text, F put) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (size_t i = 0; i < text.size();) {
    char32_t ignored;
    const size_t length = decode_utf8(text.substr(i), ignored);
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
