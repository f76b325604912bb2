#include "python/html.h"

#include <algorithm>
#include <array>

#include "ir/op.h"
#include "ir/printer.h"
#include "support/escape.h"

namespace tilewire::python {
namespace {

constexpr std::array<std::string_view, 17> keywords = {"and",   "as",   "class",  "def",    "elif", "else",
                                                       "False", "for",  "if",     "import", "in",   "not",
                                                       "or",    "pass", "return", "True",   "with"};

bool starts_name(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

void paint(std::string& out, std::string_view text, const char* colour) {
  if (*colour) out += std::string("<span style=\"color:") + colour + "\">";
  out += html_escaped(text);
  if (*colour) out += "</span>";
}

// The end of the string literal that starts at `i`.
size_t string_end(std::string_view text, size_t i) {
  char quote = text[i++];
  while (i < text.size() && text[i] != quote && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

}  // namespace

std::string html_of(std::string_view text) {
  std::string out = "<pre style=\"line-height:1.35\"><code>";
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    const char* colour = "";
    if (starts_name(text[i])) {
      while (end < text.size() && (starts_name(text[end]) || is_digit(text[end]))) ++end;
      std::string_view word = text.substr(i, end - i);
      if (std::find(keywords.begin(), keywords.end(), word) != keywords.end()) colour = "#a626a4";
      if (word == "pl" || word == "pld") colour = "#4078f2";
    } else if (is_digit(text[i])) {
      while (end < text.size() && (starts_name(text[end]) || is_digit(text[end]) || text[end] == '.')) ++end;
      colour = "#986801";
    } else if (text[i] == '"' || text[i] == '\'') {
      end = string_end(text, i);
      colour = "#50a14f";
    } else if (text[i] == '@') {
      while (end < text.size() && (starts_name(text[end]) || text[end] == '.')) ++end;
      colour = "#4078f2";
    }
    paint(out, text.substr(i, end - i), colour);
    i = end;
  }
  return out + "</code></pre>";
}

std::string html_of(const driver::Executable& executable) {
  const driver::Signature& signature = executable.signature();
  std::string out = "<div><b>" + html_escaped(signature.name()) + "</b>, compiled for " +
                    html_escaped(executable.target()) +
                    "</div><table><tr><th>parameter</th><th>type</th><th>direction</th></tr>";
  for (const driver::ParameterInfo& param : signature.params()) {
    const char* direction = param.needed ? param.written ? "in and out" : "in" : "out";
    out += "<tr><td>" + html_escaped(param.node->name) + "</td><td>" +
           html_escaped(ir::to_string(param.node->type)) + "</td><td>" + direction + "</td></tr>";
  }
  out += "</table>";
  auto folded = [&](const char* title, std::string_view text) {
    out += std::string("<details><summary>") + title + "</summary>" + html_of(text) + "</details>";
  };
  if (const std::string manifest = executable.manifest_text(); !manifest.empty()) folded("windows", manifest);
  if (executable.program()) folded("program", ir::as_python(executable.program()));
  return out;
}

}  // namespace tilewire::python
