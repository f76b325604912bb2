// `tilewire explain TW2501`: what a message means, and what to do about it.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <optional>

#include "cli/commands.h"
#include "cli/wrapped.h"
#include "support/diagnostics.h"
#include "support/diagnostics/command.h"
#include "support/explanations.h"

namespace tilewire::cli {
namespace {

// "TW0312", "tw312", "312".
std::optional<Diag> find(std::string_view text) {
  const bool prefixed = text.size() > 2 && std::toupper(static_cast<unsigned char>(text[0])) == 'T' &&
                        std::toupper(static_cast<unsigned char>(text[1])) == 'W';
  if (prefixed) text.remove_prefix(2);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  for (Diag diag : all_diags()) {
    if (diag_info(diag).code == number) return diag;
  }
  return std::nullopt;
}

}  // namespace

int explain(const std::string& code) {
  const std::optional<Diag> diag = find(code);
  if (!diag) {
    Diagnostics diags;
    Diagnostic& d = diags.report(diag::no_such_code, {}, {code});
    d.with_help("write a code such as TW2501; docs/diagnostics.md lists all");
    std::fputs(diags.text().c_str(), stderr);
    return WrongUsage;
  }
  const DiagInfo& info = diag_info(*diag);
  std::string out = (info.severity == Severity::Error ? "error[" : "warning[") + code_text(*diag) + "]: ";
  out = wrapped(out + text_with_dots(info), 0);
  if (!explanation(*diag).empty()) out += "\n" + wrapped(explanation(*diag), 0);
  if (!info.example.empty()) out += "\nexample\n" + wrapped(info.example, 2);
  std::fputs(out.c_str(), stdout);
  return Fine;
}

}  // namespace tilewire::cli
