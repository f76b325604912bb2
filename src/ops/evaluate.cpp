#include "ops/evaluate.h"

#include <algorithm>
#include <map>

#include "ops/registry.h"
#include "support/integers.h"

namespace tilewire::ops {
namespace {

using Binary = Checked (*)(int64_t, int64_t);

// Keyed by op, so that each is looked up by name once.
const std::map<const ir::Op*, Binary>& binary_ops() {
  static const std::map<const ir::Op*, Binary> table = [] {
    std::map<const ir::Op*, Binary> made;
    auto add = [&](const char* name, Binary value) { made[registry().find(name)] = value; };
    add("pl.scalar.add", checked_add);
    add("pl.scalar.sub", checked_sub);
    add("pl.scalar.mul", checked_mul);
    add("pl.scalar.floordiv", checked_floor_div);
    add("pl.scalar.mod", checked_floor_mod);
    add("pl.scalar.min", [](int64_t a, int64_t b) -> Checked { return std::min(a, b); });
    add("pl.scalar.max", [](int64_t a, int64_t b) -> Checked { return std::max(a, b); });
    return made;
  }();
  return table;
}

}  // namespace

std::optional<int64_t> evaluate_integer(
    const ir::Expr& expr, const std::function<std::optional<int64_t>(std::string_view)>& symbol) {
  if (const auto* constant = ir::as<ir::ConstInt>(&expr)) return constant->value;
  if (const auto* dim = ir::as<ir::DimSymbol>(&expr)) return symbol(dim->name);
  const auto* call = ir::as<ir::Call>(&expr);
  if (!call || call->args.size() != 2 || !call->args[0] || !call->args[1]) return std::nullopt;
  auto found = binary_ops().find(call->op);
  if (found == binary_ops().end()) return std::nullopt;
  auto a = evaluate_integer(*call->args[0], symbol), b = evaluate_integer(*call->args[1], symbol);
  return a && b ? found->second(*a, *b) : std::nullopt;
}

std::string_view missing_symbol(const ir::Expr& expr,
                                const std::function<std::optional<int64_t>(std::string_view)>& symbol) {
  if (const auto* dim = ir::as<ir::DimSymbol>(&expr)) {
    return symbol(dim->name) ? std::string_view() : std::string_view(dim->name);
  }
  const auto* call = ir::as<ir::Call>(&expr);
  if (!call) return {};
  for (const ir::ExprRef& arg : call->args) {
    if (!arg) continue;
    if (std::string_view name = missing_symbol(*arg, symbol); !name.empty()) return name;
  }
  return {};
}

}  // namespace tilewire::ops
