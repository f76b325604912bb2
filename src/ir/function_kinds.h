// Kinds of functions and their properties.
#pragma once

#include <cstdint>
#include <string>

#include "ir/enums.h"

namespace tilewire::ir {

// The cube or the vector half of a kernel; only a Group calls it.
constexpr bool is_half(FunctionType type) {
  return type == FunctionType::AIC || type == FunctionType::AIV;
}
// Runs on one core.
constexpr bool is_kernel(FunctionType type) {
  return type == FunctionType::InCore || is_half(type);
}
constexpr bool is_kernel_or_group(FunctionType type) {
  return is_kernel(type) || type == FunctionType::Group;
}
// A call from the host or from an orchestration function creates one task.
constexpr bool is_task(FunctionType type) {
  return type == FunctionType::InCore || type == FunctionType::Group;
}
constexpr bool is_host(FunctionType type) {
  return type == FunctionType::Host;
}
// Submits tasks on one rank.
constexpr bool is_orchestration(FunctionType type) {
  return type == FunctionType::Orchestration || type == FunctionType::Opaque;
}

// "an orchestration function", for messages.
std::string describe(FunctionType type);
// The level (LevelBits) at which the body of such a function runs; 0 if it depends on the caller.
uint8_t level_of(FunctionType type);

}  // namespace tilewire::ir
