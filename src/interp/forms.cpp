#include "interp/forms.h"

namespace tilewire::interp {
namespace {

using enum ir::OperandRole;

constexpr FormInfo forms[] = {
    {Form::Condition, "condition", Control, "a branch"},
    {Form::LoopBound, "loop bound", Control, "a loop"},
    {Form::Argument, "argument", Data, nullptr},
    {Form::Result, "result", Data, nullptr},
    {Form::Device, "device", Address, "a launch"},
    {Form::BlockCount, "block count", Extent, "a launch"},
    {Form::Dependency, "dependency", Dependency, "a dependency"},
    {Form::Dimension, "dimension", Extent, "an extent"},
    {Form::Place, "place", Address, "an address"},
};

}  // namespace

const FormInfo& info(Form form) {
  return forms[static_cast<size_t>(form)];
}

std::span<const FormInfo> all_forms() {
  return forms;
}

const char* decided_by(ir::OperandRole role) {
  switch (role) {
    case Address:
      return "an address";
    case Extent:
      return "an extent";
    case Control:
      return "whether the run goes on";
    case SignalValue:
      return "a signal";
    case Dependency:
      return "a dependency";
    case Unset:
    case Data:
      return nullptr;
  }
  return nullptr;
}

}  // namespace tilewire::interp
