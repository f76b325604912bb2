// Types and expressions in messages: the printer's text with variables by their hints.
#include "ir/op.h"
#include "ir/printer.h"
#include "ir/printer_expr.h"
#include "support/unicode.h"

namespace tilewire::ir {
namespace {

class HintNames final : public NameSource {
 public:
  std::string_view name(const Var& var) override {
    if (const auto* buffer = as<WindowBuffer>(&var)) return buffer->name;
    return var.name_hint.empty() ? std::string_view("?") : std::string_view(var.name_hint);
  }
  std::string_view name(const DimSymbol& symbol) override { return symbol.name; }
};

constexpr size_t longest_expression = 60;

}  // namespace

std::string to_string(const TypeRef& type) {
  std::string text;
  HintNames names;
  ExprWriter(text, names, Constants::Plain).type(type);
  return text;
}

std::string to_string(const ExprRef& expr) {
  std::string text;
  HintNames names;
  ExprWriter(text, names, Constants::Plain).expr(expr);
  if (text.size() > longest_expression) {
    text.resize(first_bytes(text, longest_expression - 3).size());
    text += "...";
  }
  return text;
}

}  // namespace tilewire::ir
