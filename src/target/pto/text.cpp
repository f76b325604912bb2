#include "target/pto/text.h"

#include <cctype>
#include <cmath>
#include <cstdio>

#include "support/diagnostics.h"

namespace tilewire::target::pto {

std::string FunctionText::fresh(std::string_view hint) {
  std::string base = "%";
  for (char c : hint) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    base += plain ? c : '_';
  }
  if (base.size() == 1 || (base[1] >= '0' && base[1] <= '9')) base.insert(1, "v");
  std::string name = base;
  for (int n = 1; !names_.insert(name).second; ++n) name = base + "_" + std::to_string(n);
  return name;
}

void FunctionText::declare(const std::string& name, const std::string& rhs) {
  everywhere_.insert(name);
  declarations_.push_back({name + " = " + rhs, name});
}

void FunctionText::line(std::string text) {
  body_.push_back({std::string(static_cast<size_t>(2 * depth_), ' ') + std::move(text), {}});
}

void FunctionText::pure_line(const std::string& name, const std::string& rhs) {
  line(name + " = " + rhs);
  body_.back().value = name;
}

void FunctionText::line_for(const std::string& name, const std::string& text) {
  line(text);
  body_.back().value = name;
}

void FunctionText::open(std::string text) {
  line(std::move(text));
  ++depth_;
}

void FunctionText::middle(std::string text) {
  --depth_;
  line(std::move(text));
  ++depth_;
}

void FunctionText::close(std::string text) {
  --depth_;
  line(std::move(text));
}

std::string FunctionText::name(const Scalar& scalar) {
  if (scalar.integer) return integer(*scalar.integer, scalar.type);
  if (scalar.real) return real(*scalar.real, scalar.type);
  TW_CHECK(!scalar.name.empty(), "a scalar without a name");
  return scalar.name;
}

std::string FunctionText::constant(const std::string& literal, const std::string& hint,
                                   const std::string& type) {
  auto [at, is_new] = constants_.try_emplace({literal, type});
  if (is_new) {
    at->second = fresh(hint);
    everywhere_.insert(at->second);
    constant_lines_.push_back(
        {at->second + " = arith.constant " + literal + (type == "i1" ? "" : " : " + type), at->second});
  }
  return at->second;
}

std::string FunctionText::integer(int64_t value, const std::string& type) {
  if (type == "i1") return constant(value ? "true" : "false", value ? "true" : "false", type);
  std::string digits = std::to_string(value);
  std::string hint = "c" + (value < 0 ? "m" + digits.substr(1) : digits);
  return constant(digits, type == "index" ? hint : hint + "_" + type, type);
}

std::string FunctionText::real(double value, const std::string& type) {
  TW_CHECK(std::isfinite(value), "a constant that is not finite");
  char literal[64];
  for (int digits : {6, 8, 17}) {
    std::snprintf(literal, sizeof literal, "%.*e", digits, value);
    const double read = std::strtod(literal, nullptr);
    if (read == value || static_cast<float>(read) == static_cast<float>(value)) break;
  }
  return constant(literal, type == "f32" ? "cst" : "cst_" + type, type);
}

// From the end: values are defined before they are used.
std::vector<bool> FunctionText::needed(const std::vector<Line>& lines,
                                       std::set<std::string, std::less<>>& used) {
  std::vector<bool> found(lines.size());
  for (size_t i = lines.size(); i-- > 0;) {
    const auto& [text, value] = lines[i];
    found[i] = value.empty() || used.contains(value);
    if (!found[i]) continue;
    for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
      size_t end = at + 1;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
      if (const std::string name = text.substr(at, end - at); name != value) used.insert(name);
    }
  }
  return found;
}

std::string FunctionText::finish(int steps) const {
  const std::string indent(static_cast<size_t>(2 * steps), ' ');
  std::set<std::string, std::less<>> used;
  std::string text;
  for (const auto* lines : {&body_, &declarations_, &tiles_, &constant_lines_}) {
    const std::vector<bool> kept = needed(*lines, used);
    std::string part;
    for (size_t i = 0; i < lines->size(); ++i) {
      if (kept[i]) part += indent + (*lines)[i].text + "\n";
    }
    text = part + text;
  }
  return text;
}

}  // namespace tilewire::target::pto
