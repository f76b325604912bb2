#include "interp/dimensions.h"

#include "interp/error.h"
#include "ops/evaluate.h"
#include "ops/shape.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

class Binder {
 public:
  Binder(const Code& code, const std::vector<Value>& args, const Lookup& outside)
      : code_(code), args_(args), outside_(outside) {}

  std::map<std::string_view, int64_t> bind() {
    each([this](const Parameter& param, const Expr& dim, int64_t extent) { plain(param, dim, extent); });
    each([this](const Parameter&, const Expr& dim, int64_t extent) { solve(dim, extent); });
    for (const auto& [name, slot] : code_.symbols) {
      if (values_.count(name)) continue;
      if (auto value = outside_(name)) values_[name] = *value;
    }
    for (size_t i = 0; i < args_.size(); ++i) check(i);
    return std::move(values_);
  }

 private:
  template <class F>
  void each(F f) {
    for (size_t i = 0; i < args_.size(); ++i) {
      const Parameter& param = *code_.function->params[i];
      const auto* type = as<TensorType>(param.type);
      const Tensor* tensor = args_[i].tensor();
      if (!type || !tensor) continue;
      for (size_t d = 0; d < type->shape.size(); ++d) f(param, *type->shape[d], tensor->shape[d]);
    }
  }

  std::optional<int64_t> evaluate(const Expr& dim) const {
    return ops::evaluate_integer(dim, [this](std::string_view name) -> std::optional<int64_t> {
      auto found = values_.find(name);
      return found == values_.end() ? std::nullopt : std::optional(found->second);
    });
  }

  void plain(const Parameter& param, const Expr& dim, int64_t extent) {
    const auto* symbol = as<DimSymbol>(&dim);
    if (!symbol) return;
    auto [found, added] = values_.try_emplace(symbol->name, extent);
    if (added) first_[symbol->name] = &param;
    if (found->second == extent) return;
    fail(diag::run_dimension, {symbol->name, std::to_string(found->second), first_[symbol->name]->name,
                               std::to_string(extent), param.name});
  }

  // `NR * 16` of an extent 64: a dimension that occurs once, in a linear expression, follows from it.
  void solve(const Expr& dim, int64_t extent) {
    auto known = [this](std::string_view name) -> std::optional<int64_t> {
      auto found = values_.find(name);
      return found == values_.end() ? std::nullopt : std::optional(found->second);
    };
    std::string_view missing = ops::missing_symbol(dim, known);
    if (missing.empty()) return;
    auto with = [&](int64_t value) {
      values_[missing] = value;
      return evaluate(dim);
    };
    auto at_zero = with(0), at_one = with(1);
    int64_t slope = at_zero && at_one ? *at_one - *at_zero : 0;
    if (slope != 0 && (extent - *at_zero) % slope == 0 && with((extent - *at_zero) / slope) == extent) return;
    values_.erase(missing);
  }

  void check(size_t i) const {
    const Parameter& param = *code_.function->params[i];
    const auto* type = as<TensorType>(param.type);
    const Tensor* tensor = args_[i].tensor();
    if (!type || !tensor) return;
    for (size_t d = 0; d < type->shape.size(); ++d) {
      auto extent = evaluate(*type->shape[d]);
      if (!extent || *extent == tensor->shape[d]) continue;
      fail(diag::run_argument_shape,
           {param.name, code_.name, ops::shape_text(type->shape), text(tensor->shape)});
    }
  }

  const Code& code_;
  const std::vector<Value>& args_;
  const Lookup& outside_;
  std::map<std::string_view, int64_t> values_;
  std::map<std::string_view, const Parameter*> first_;
};

}  // namespace

std::map<std::string_view, int64_t> bind_dimensions(const Code& code, const std::vector<Value>& args,
                                                    const Lookup& outside) {
  return Binder(code, args, outside).bind();
}

}  // namespace tilewire::interp
