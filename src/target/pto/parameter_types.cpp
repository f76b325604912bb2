#include "target/pto/parameter_types.h"

#include "ir/param_effects.h"
#include "ops/pipe.h"
#include "support/diagnostics.h"
#include "target/pto/values.h"

namespace tilewire::target::pto {

using namespace ir;

std::string parameter_type(const KernelParameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::Tensor:
    case ParameterKind::Result:
      return "!pto.ptr<" + element_text(parameter.dtype) + ">";
    case ParameterKind::Context:
    case ParameterKind::Group:
      return "!pto.ptr<i64>";
    default:
      return scalar_text(parameter.dtype);
  }
}

Direction parameter_direction(const Kernel& kernel, const KernelParameter& parameter) {
  if (parameter.kind == ParameterKind::Result) return Direction::Out;
  return kernel.function->params[parameter.index]->direction;
}

uint8_t parameter_access(const Kernel& kernel, const KernelParameter& parameter) {
  if (parameter.kind == ParameterKind::Result) return EffectWrites;
  const auto effects = param_effects(kernel.function->effects);
  TW_CHECK(effects && parameter.index < effects->size(), "a kernel without recorded effects");
  return (*effects)[parameter.index];
}

const char* direction_text(Direction direction) {
  return direction == Direction::In ? "in" : direction == Direction::Out ? "out" : "inout";
}

std::string workspace_parameter(const Kernel& kernel) {
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.kind != ParameterKind::Tensor) continue;
    if (kernel.function->params[parameter.index]->name == ops::workspace_name) return parameter.name;
  }
  return "";
}

}  // namespace tilewire::target::pto
