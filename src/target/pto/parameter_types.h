// What a kernel's parameters are, beyond their order: type in the text, direction, what the kernel does to
// them.
#pragma once

#include <string>

#include "target/pto/kernel_parameters.h"

namespace tilewire::target::pto {

// "!pto.ptr<f32>", "i32".
std::string parameter_type(const KernelParameter& parameter);
// Of a Tensor or Result.
ir::Direction parameter_direction(const Kernel& kernel, const KernelParameter& parameter);
// ir::EffectBits, of a Tensor or Result.
uint8_t parameter_access(const Kernel& kernel, const KernelParameter& parameter);
const char* direction_text(ir::Direction direction);
// The name of the parameter with the memory of the kernel's pipes; empty: it has none.
std::string workspace_parameter(const Kernel& kernel);

}  // namespace tilewire::target::pto
