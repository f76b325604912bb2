#include "passes/names.h"

#include <algorithm>
#include <array>

namespace tilewire::passes {
namespace {

constexpr std::array reserved = {
    "False",    "None",   "True", "and",   "as",     "assert",   "async",   "await", "break", "class",
    "continue", "def",    "del",  "elif",  "else",   "except",   "finally", "for",   "from",  "global",
    "if",       "import", "in",   "is",    "lambda", "nonlocal", "not",     "or",    "pass",  "raise",
    "return",   "self",   "try",  "while", "with",   "yield",    "pl",      "pld",
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string identifier(std::string_view hint) {
  std::string name;
  for (char c : hint) {
    bool fits = is_letter(c) || is_digit(c);
    if (fits) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty() || is_digit(name[0])) name = "k" + name;
  if (std::find(reserved.begin(), reserved.end(), name) != reserved.end()) name += '_';
  return name;
}

std::string Names::take(const std::string& name) {
  auto [entry, added] = taken_.emplace(name, 0);
  if (added) return name;
  for (;;) {
    std::string next = name + "_" + std::to_string(++entry->second);
    if (taken_.emplace(next, 0).second) return next;
  }
}

}  // namespace tilewire::passes
