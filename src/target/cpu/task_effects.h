// What a kernel does as a task, for scheduling: derived from the declared effects of the ops in it.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/nodes.h"
#include "passes/roots.h"

namespace tilewire::target::cpu {

struct TaskEffects {
  uint32_t bits = 0;            // abi::KernelBits
  std::vector<uint8_t> access;  // per parameter, abi::AccessBits: what is done to the own copy
};

// `returns`: of every function of the program.
TaskEffects task_effects(const ir::Function& kernel, const passes::ReturnRoots& returns);

}  // namespace tilewire::target::cpu
