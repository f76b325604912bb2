#include "ir/function_kinds.h"

#include "ir/op.h"

namespace tilewire::ir {

std::string describe(FunctionType type) {
  switch (type) {
    case FunctionType::Opaque:
      return "an opaque function";
    case FunctionType::Host:
      return "a host function";
    case FunctionType::Orchestration:
      return "an orchestration function";
    case FunctionType::InCore:
      return "a kernel";
    case FunctionType::AIC:
      return "an AIC kernel";
    case FunctionType::AIV:
      return "an AIV kernel";
    case FunctionType::Inline:
      return "an inline function";
    case FunctionType::Group:
      return "a Group function";
  }
  return "a function";
}

uint8_t level_of(FunctionType type) {
  if (type == FunctionType::Host) return OnHost;
  // A Group starts the halves of a kernel and does nothing else.
  if (is_orchestration(type) || type == FunctionType::Group) return OnOrchestration;
  return type == FunctionType::Inline ? 0 : OnKernel;
}

}  // namespace tilewire::ir
