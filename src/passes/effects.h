// What a kernel does to the tensors it takes, derived once from the declared effects of its ops. The lowered
// program carries it (Function::effects); interpreter, checker and targets read it there, and
// abi/task_order.h turns it into the order of tasks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "ir/param_effects.h"
#include "passes/roots.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// By function name.
using KernelEffects = std::map<std::string, ir::ParamEffects, std::less<>>;

// What `body` does to each of `roots`, which are parameters of a kernel or variables that a task scope
// captures. What is done through `pl.no_dep` does not count. `returns` and `callees` know every function that
// is called.
ir::ParamEffects effects_of(const ir::Block& body, const std::vector<const ir::Var*>& roots,
                            const ReturnRoots& returns, const KernelEffects& callees);

// What the functions of a program have recorded; nothing where one has not.
std::optional<KernelEffects> recorded_effects(const ir::Program& program);

// The pass: every kernel with its effects, whatever was recorded before.
ir::ProgramRef record_effects(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
