#include "passes/pipeline.h"

#include "ir/dump.h"
#include "ir/verifier.h"
#include "passes/collect_comm_groups.h"
#include "passes/convert_tensor_to_tile_ops.h"
#include "passes/dispatch_host_collectives.h"
#include "passes/effects.h"
#include "passes/inline_functions.h"
#include "passes/lower_composite_ops.h"
#include "passes/mark_collectives.h"
#include "passes/mark_polls.h"
#include "passes/normalize_return_order.h"
#include "passes/outline_scopes.h"
#include "passes/simplify.h"
#include "passes/verify_lowered.h"

namespace tilewire::passes {
namespace {

constexpr Pass table[] = {
    {"inline_functions", "splices inline functions into their callers", inline_functions},
    {"simplify", "folds constants, opens known branches and loops, drops what is not used", simplify},
    {"collect_comm_groups", "finds which ranks share which window buffers", collect_comm_groups},
    {"dispatch_host_collectives", "turns collectives of host functions into dispatches",
     dispatch_host_collectives},
    {"outline_scopes", "turns task scopes into kernels", outline_scopes},
    {"convert_tensor_to_tile_ops", "turns ops on whole tensors into loads, tile ops and stores",
     convert_tensor_to_tile_ops},
    {"lower_composite_ops", "writes collectives in kernels as loops over signals and remote memory",
     lower_composite_ops},
    {"normalize_return_order", "lets kernels return in the order of their parameters",
     normalize_return_order},
    {"record_effects", "records what each kernel does to its parameters", record_effects},
    {"mark_polls", "finds the loops that poll signal cells", mark_polls},
};

ir::ProgramRef run(const ir::ProgramRef& program, Diagnostics& diags, const PassObserver& after,
                   const Pass* last, bool checking = false) {
  ir::ProgramRef now = program;
  for (const Pass& pass : table) {
    Diagnostics found;
    if (checking && pass.run == lower_composite_ops) now = mark_collectives(now, found);
    now = checking && pass.run == outline_scopes ? outline_scopes_for_checking(now, found)
                                                 : pass.run(now, found);
    diags.append(found);
    if (found.has_errors() || !now) return nullptr;
    ir::verify_or_die(*now, pass.name);
    if (after) after(pass, now);
    if (&pass == last) break;
  }
  return now;
}

}  // namespace

std::span<const Pass> pipeline() {
  return table;
}

const Pass* find_pass(std::string_view name) {
  for (const Pass& pass : table) {
    if (name == pass.name) return &pass;
  }
  return nullptr;
}

ir::ProgramRef lower_until(const Pass& last, const ir::ProgramRef& program, Diagnostics& diags) {
  return run(program, diags, {}, &last);
}

ir::ProgramRef lower_for_checking(const ir::ProgramRef& program, Diagnostics& diags) {
  return run(program, diags, {}, nullptr, true);
}

ir::ProgramRef lower_for_interp(const ir::ProgramRef& program, Diagnostics& diags) {
  if (has_composite_ops(*program)) return lower_for_checking(program, diags);
  ir::ProgramRef tasks = run(program, diags, {}, find_pass("outline_scopes"), true);
  return tasks ? record_effects(tasks, diags) : nullptr;
}

ir::ProgramRef lower(const ir::ProgramRef& program, Diagnostics& diags, const PassObserver& after) {
  ir::ProgramRef now = run(program, diags, after, nullptr);
  if (!now) return nullptr;
  std::string problems = not_lowered(*now);
  TW_CHECK(problems.empty(), "lowering left what targets do not take\n" + problems + ir::dump(now));
  return now;
}

}  // namespace tilewire::passes
