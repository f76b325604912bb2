#include "passes/pipeline.h"

#include <algorithm>

#include "ir/dump.h"
#include "ir/verifier.h"
#include "passes/add_sums_apart.h"
#include "passes/collect_comm_groups.h"
#include "passes/convert_tensor_to_tile_ops.h"
#include "passes/dispatch_host_collectives.h"
#include "passes/effects.h"
#include "passes/expand_mixed_kernel.h"
#include "passes/expand_ops.h"
#include "passes/inject_gm_pipe_buffer.h"
#include "passes/inline_functions.h"
#include "passes/lift_kernel_tensors.h"
#include "passes/lower_composite_ops.h"
#include "passes/lower_pipes.h"
#include "passes/lower_subgroups.h"
#include "passes/mark_collectives.h"
#include "passes/mark_polls.h"
#include "passes/normalize_return_order.h"
#include "passes/outline_scopes.h"
#include "passes/simplify.h"
#include "passes/verify_lowered.h"

namespace tilewire::passes {
namespace {

// A pass that asks for no traits.
template <auto run>
ir::ProgramRef plain(const ir::ProgramRef& program, const Traits&, Diagnostics& diags) {
  return run(program, diags);
}

bool always(const Traits&) {
  return true;
}
bool over_tiles(const Traits& traits) {
  return !traits.written_kernels;
}
bool splitting(const Traits& traits) {
  return traits.splits_kernels;
}
bool without_pipes(const Traits& traits) {
  return !traits.has_pipes;
}
bool lifting(const Traits& traits) {
  return traits.lifts_kernel_tensors;
}
bool products_start_sums(const Traits& traits) {
  return traits.products_start_sums;
}
bool marking(const Traits& traits) {
  return traits.marks_collectives;
}

constexpr Pass table[] = {
    {"inline_functions", "splices inline functions into their callers", plain<inline_functions>, always},
    {"simplify", "folds constants, opens known branches and loops, drops what is not used", plain<simplify>,
     always},
    {"collect_comm_groups", "finds which ranks share which window buffers",
     [](const ir::ProgramRef& program, const Traits&, Diagnostics& diags) {
       return collect_comm_groups(program, diags);
     },
     always},
    {"dispatch_host_collectives", "turns collectives of host functions into dispatches",
     plain<dispatch_host_collectives>, always},
    {"outline_scopes", "turns task scopes into kernels", outline_scopes, always},
    {"expand_ops", "writes ops as the ops they are made of", expand_ops, always},
    {"convert_tensor_to_tile_ops", "turns ops on whole tensors into loads, tile ops and stores",
     convert_tensor_to_tile_ops, over_tiles},
    {"mark_collectives", "says in front of each collective in a kernel which one it is",
     plain<mark_collectives>, marking},
    {"lower_composite_ops", "writes collectives in kernels as loops over signals and remote memory",
     lower_composite_ops, over_tiles},
    {"lower_subgroups", "writes what is counted in sub-groups with ranks of the window's group",
     plain<lower_subgroups>, over_tiles},
    {"lift_kernel_tensors", "lets launches make the tensors that kernels make for themselves",
     plain<lift_kernel_tensors>, lifting},
    {"add_sums_apart", "writes products that are added to other tiles as a product and a sum",
     plain<add_sums_apart>, products_start_sums},
    {"expand_mixed_kernel", "splits kernels that mix products and vector work into two halves",
     expand_mixed_kernel, splitting},
    {"inject_gm_pipe_buffer", "gives kernels that have pipes the memory of their slots",
     plain<inject_gm_pipe_buffer>, always},
    {"lower_pipes", "writes a cube and a vector half as blocks of one kernel", lower_pipes, without_pipes},
    {"normalize_return_order", "lets kernels return in the order of their parameters",
     plain<normalize_return_order>, over_tiles},
    {"record_effects", "records what each kernel does to its parameters", plain<record_effects>, always},
    {"mark_polls", "finds the loops that poll signal cells", plain<mark_polls>, over_tiles},
};

bool has_groups(const ir::Program& program) {
  return std::any_of(program.functions.begin(), program.functions.end(),
                     [](const auto& function) { return function->type == ir::FunctionType::Group; });
}

ir::ProgramRef run(const ir::ProgramRef& program, Traits traits, Diagnostics& diags,
                   const PassObserver& after, const Pass* last) {
  // A collective means what the passes over tiles make of it, and the halves of a kernel are blocks of
  // another one.
  traits.written_kernels = traits.written_kernels && !has_composite_ops(*program) && !has_groups(*program) &&
                           !traits.splits_kernels;
  // The workspace of a split kernel's pipe must be created by a caller.
  traits.dispatches_kernels = traits.dispatches_kernels && !traits.splits_kernels;
  ir::ProgramRef now = program;
  for (const Pass* pass : pipeline(traits)) {
    Diagnostics found;
    now = pass->run(now, traits, found);
    diags.append(found);
    if (found.has_errors() || !now) return nullptr;
    ir::verify_or_die(*now, pass->name);
    if (after) after(*pass, now);
    if (pass == last) break;
  }
  return now;
}

}  // namespace

std::vector<const Pass*> pipeline(const Traits& traits) {
  std::vector<const Pass*> passes;
  for (const Pass& pass : table) {
    if (pass.needed(traits)) passes.push_back(&pass);
  }
  return passes;
}

const Pass* find_pass(std::string_view name, const Traits& traits) {
  for (const Pass* pass : pipeline(traits)) {
    if (name == pass->name) return pass;
  }
  return nullptr;
}

ir::ProgramRef lower_until(const Pass& last, const ir::ProgramRef& program, const Traits& traits,
                           Diagnostics& diags) {
  return run(program, traits, diags, {}, &last);
}

ir::ProgramRef lower(const ir::ProgramRef& program, const Traits& traits, Diagnostics& diags,
                     const PassObserver& after) {
  ir::ProgramRef now = run(program, traits, diags, after, nullptr);
  // What is only followed step by step may have more than targets take.
  if (!now || traits.written_kernels || traits.dispatches_kernels) return now;
  std::string problems = not_lowered(*now, traits);
  TW_CHECK(problems.empty(), "lowering left what targets do not take\n" + problems + ir::dump(now));
  return now;
}

}  // namespace tilewire::passes
