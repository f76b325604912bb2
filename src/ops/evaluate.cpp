#include "ops/evaluate.h"

#include <algorithm>
#include <map>

#include "ops/registry.h"

namespace tilewire::ops {
namespace {

using Result = std::optional<int64_t>;
using Binary = Result (*)(int64_t, int64_t);

Result floor_division(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

// Keyed by op, so that each is looked up by name once.
const std::map<const ir::Op*, Binary>& binary_ops() {
  static const std::map<const ir::Op*, Binary> table = [] {
    std::map<const ir::Op*, Binary> made;
    auto add = [&](const char* name, Binary value) { made[registry().find(name)] = value; };
    add("pl.scalar.add", [](int64_t a, int64_t b) -> Result {
      int64_t r;
      return __builtin_add_overflow(a, b, &r) ? Result() : r;
    });
    add("pl.scalar.sub", [](int64_t a, int64_t b) -> Result {
      int64_t r;
      return __builtin_sub_overflow(a, b, &r) ? Result() : r;
    });
    add("pl.scalar.mul", [](int64_t a, int64_t b) -> Result {
      int64_t r;
      return __builtin_mul_overflow(a, b, &r) ? Result() : r;
    });
    add("pl.scalar.floordiv", floor_division);
    add("pl.scalar.mod", [](int64_t a, int64_t b) -> Result {
      auto quotient = floor_division(a, b);
      if (b == -1) return 0;
      return quotient ? Result(a - *quotient * b) : Result();
    });
    add("pl.scalar.min", [](int64_t a, int64_t b) -> Result { return std::min(a, b); });
    add("pl.scalar.max", [](int64_t a, int64_t b) -> Result { return std::max(a, b); });
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
