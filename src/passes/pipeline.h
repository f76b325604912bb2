// From a program as it was written to one that targets can take: all passes, in order.
//
//     ir::ProgramRef lowered = passes::lower(program, traits, diags);   // null after reporting errors
//
// In a lowered program (checked by verify_lowered.h)
// - no op that has an expansion is left;
// - kernels hold tile, scalar and array ops, loads and stores, views and control flow; tensors they make for
//   themselves are made by `pl.tensor.create`; collectives, sub-groups
//   and, but for targets that have pipes, the halves of kernels are written with these;
// - kernels return what they wrote, in the order of their parameters;
// - orchestration functions hold scalars, control flow, `create`, views, element reads and writes, calls of
//   kernels, and scopes with exactly one such call (or only `defer_wait`);
// - the host dispatches orchestration functions only.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ir/nodes.h"
#include "passes/traits.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

struct Pass {
  const char* name;  // as `tilewire print --after` knows it
  const char* does;
  ir::ProgramRef (*run)(const ir::ProgramRef&, const Traits&, Diagnostics&);
  bool (*needed)(const Traits&);
};

// Those that a target with these traits needs, in the order they run.
std::vector<const Pass*> pipeline(const Traits& traits);
// Null if there is no pass of that name.
const Pass* find_pass(std::string_view name, const Traits& traits);

// Called after each pass, with its result.
using PassObserver = std::function<void(const Pass&, const ir::ProgramRef&)>;

// Runs all passes, verifying after each; the program was verified before. Null after reporting errors.
ir::ProgramRef lower(const ir::ProgramRef& program, const Traits& traits, Diagnostics& diags,
                     const PassObserver& after = {});
// The same up to and with one pass.
ir::ProgramRef lower_until(const Pass& last, const ir::ProgramRef& program, const Traits& traits,
                           Diagnostics& diags);

}  // namespace tilewire::passes
