// From a program as it was written to one that targets can take: all passes, in order.
//
//     ir::ProgramRef lowered = passes::lower(program, diags);   // null after reporting errors
//
// In a lowered program (checked by verify_lowered.h)
// - kernels hold tile, scalar and array ops, loads and stores, views and control flow; tensors they make for
//   themselves are made by `pl.tensor.create`; collectives and pipes are as they were written;
// - kernels return what they wrote, in the order of their parameters;
// - orchestration functions hold scalars, control flow, `create`, views, element reads and writes, calls of
//   kernels, and scopes with exactly one such call (or `defer_wait` alone);
// - the host dispatches orchestration functions only.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

struct Pass {
  const char* name;  // as `tilewire print --after` knows it
  const char* does;
  ir::ProgramRef (*run)(const ir::ProgramRef&, Diagnostics&);
};

// In the order they run.
std::span<const Pass> pipeline();
// Null when there is no pass of that name.
const Pass* find_pass(std::string_view name);

// Called after each pass, with what it gave.
using PassObserver = std::function<void(const Pass&, const ir::ProgramRef&)>;

// Runs all passes, verifying after each; the program was verified before. Null after reporting errors.
ir::ProgramRef lower(const ir::ProgramRef& program, Diagnostics& diags, const PassObserver& after = {});
// The same with `pld.system.enter_collective` in front of what was a collective, and without orchestration
// functions that only submit a kernel.
ir::ProgramRef lower_for_checking(const ir::ProgramRef& program, Diagnostics& diags);
// With the tasks that are checked, and otherwise as it was written where that can be: an oracle for the
// passes that rewrite kernels. Collectives mean what those make of them.
ir::ProgramRef lower_for_interp(const ir::ProgramRef& program, Diagnostics& diags);
// The same up to and with one pass.
ir::ProgramRef lower_until(const Pass& last, const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
