#include "driver/host/call_values.h"

#include <algorithm>

namespace tilewire::driver {

using namespace ir;

passes::HostScalars::Known known_values(const BoundArguments& arguments, const Signature& signature,
                                        std::optional<int64_t> ranks) {
  return [&arguments, &signature, ranks](const Expr& expr) -> ExprRef {
    if (passes::is_world_size(expr)) {
      return ranks ? make<ConstInt>(expr.span, *ranks, DType::Int64) : ExprRef();
    }
    if (const auto* dim = as<DimSymbol>(&expr)) {
      auto found = arguments.dimensions.find(dim->name);
      return found == arguments.dimensions.end() ? nullptr : ExprRef(const_index(found->second));
    }
    const auto* wanted = as<Parameter>(&expr);
    for (size_t i = 0; wanted && i < signature.params().size(); ++i) {
      const ParameterInfo& param = signature.params()[i];
      const auto* number = std::get_if<Number>(&arguments.values[i]);
      if (param.node->name != wanted->name || !number) continue;
      if (const auto* flag = std::get_if<bool>(number)) return make<ConstBool>(expr.span, *flag);
      const auto* value = std::get_if<int64_t>(number);
      if (value && is_integer(param.dtype)) return make<ConstInt>(expr.span, *value, param.dtype);
    }
    return nullptr;
  };
}

passes::HostScalars::Known known_ranks(int64_t ranks) {
  return [ranks](const Expr& expr) {
    return passes::is_world_size(expr) ? ExprRef(make<ConstInt>(expr.span, ranks, DType::Int64)) : ExprRef();
  };
}

runtime::SizeNames size_names(const Signature& signature, const BoundArguments& arguments) {
  runtime::SizeNames names = arguments.dimensions;
  for (size_t i = 0; i < arguments.values.size(); ++i) {
    const auto* number = std::get_if<Number>(&arguments.values[i]);
    const ParameterInfo& param = signature.params()[i];
    if (!number || !ir::is_integer(param.dtype)) continue;
    if (const auto* value = std::get_if<int64_t>(number)) names.emplace(param.node->name, *value);
    if (const auto* value = std::get_if<uint64_t>(number)) {
      names.emplace(param.node->name, static_cast<int64_t>(std::min<uint64_t>(*value, INT64_MAX)));
    }
  }
  return names;
}

}  // namespace tilewire::driver
