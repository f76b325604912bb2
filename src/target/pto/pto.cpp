#include "target/pto/pto.h"

#include "ir/function_kinds.h"
#include "passes/mixed_plan.h"
#include "passes/roots.h"
#include "passes/shared_parameters.h"
#include "support/diagnostics/pto.h"
#include "target/pto/emitter.h"
#include "target/pto/kernel_kind.h"
#include "target/pto/kernel_parameters.h"

namespace tilewire::target::pto {

using namespace ir;

std::optional<Level> level_from_text(std::string_view text) {
  if (text == "level2") return Level::Two;
  if (text == "level3") return Level::Three;
  return std::nullopt;
}

namespace {

void refuse_mixed(const Program& program, const Function& kernel, const passes::ReturnRoots& returns,
                  Diagnostics& diags) {
  const passes::SharedParameters shared(program, returns);
  std::string why = passes::MixedPlan(kernel, returns, shared.of(kernel)).obstacle();
  if (why.empty()) why = "no value goes from one core to the other";
  diags
      .report(diag::pto_inexpressible, kernel.span,
              {"`" + kernel.name + "`, which mixes products and vector work,", "it cannot be split: " + why})
      .with_help("put products and vector work into kernels of their own");
}

}  // namespace

std::optional<std::vector<ModuleText>> modules(const Program& lowered, Level level, Diagnostics& diags) {
  const passes::ReturnRoots returns = passes::return_roots(lowered);
  std::vector<ModuleText> found;
  for (const Kernel& kernel : kernels_of(lowered)) {
    std::string text = "module attributes {pto.target_arch = \"a3\"} {\n";
    for (const Function* body : kernel.bodies) {
      if (mixes_cores(*body)) {
        refuse_mixed(lowered, *body, returns, diags);
        continue;
      }
      text += FunctionEmitter(lowered, kernel, *body, returns, level, diags).run();
    }
    found.push_back({kernel.function->name, text + "}\n"});
  }
  if (diags.has_errors()) return std::nullopt;
  return found;
}

}  // namespace tilewire::target::pto
