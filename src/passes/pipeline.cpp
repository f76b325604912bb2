#include "passes/pipeline.h"

#include <string_view>

#include "ir/verifier.h"
#include "passes/convert_tensor_to_tile_ops.h"
#include "passes/inline_functions.h"
#include "passes/outline_scopes.h"

namespace tilewire::passes {
namespace {

constexpr Pass table[] = {
    {"inline_functions", "splices inline functions into their callers", inline_functions},
    {"outline_scopes", "turns task scopes into kernels", outline_scopes},
    {"convert_tensor_to_tile_ops", "turns ops on whole tensors into loads, tile ops and stores",
     convert_tensor_to_tile_ops},
};

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

ir::ProgramRef lower(const ir::ProgramRef& program, Diagnostics& diags, const PassObserver& after) {
  ir::ProgramRef now = program;
  for (const Pass& pass : table) {
    Diagnostics found;
    now = pass.run(now, found);
    diags.append(found);
    if (found.has_errors() || !now) return nullptr;
    ir::verify_or_die(*now, pass.name);
    if (after) after(pass, now);
  }
  return now;
}

}  // namespace tilewire::passes
