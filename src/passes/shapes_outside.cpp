#include "passes/shapes_outside.h"

#include <algorithm>

namespace tilewire::passes {

using namespace ir;

bool is_known_outside(const ExprRef& extent) {
  if (isa<ConstInt>(extent) || isa<DimSymbol>(extent) || isa<Parameter>(extent)) return true;
  const auto* call = as<Call>(extent);
  return call && std::all_of(call->args.begin(), call->args.end(), [](const ExprRef& arg) {
           if (!arg || isa<Parameter>(arg)) return true;
           return !isa<TensorType>(arg->type) && is_known_outside(arg);
         });
}

ExprList parameter_shape(const TensorType& type, const std::string& name, const Span& span) {
  ExprList shape;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const ExprRef& dim = type.shape[i];
    const bool portable = isa<ConstInt>(dim) || isa<DimSymbol>(dim);
    shape.push_back(portable ? dim : make<DimSymbol>(span, name + "_d" + std::to_string(i)));
  }
  return shape;
}

}  // namespace tilewire::passes
