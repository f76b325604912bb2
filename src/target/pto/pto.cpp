#include "target/pto/pto.h"

#include "ir/function_kinds.h"
#include "passes/roots.h"
#include "target/pto/emitter.h"
#include "target/pto/kernel_parameters.h"

namespace tilewire::target::pto {

using namespace ir;

std::optional<Level> level_from_text(std::string_view text) {
  if (text == "level2") return Level::Two;
  if (text == "level3") return Level::Three;
  return std::nullopt;
}

std::optional<std::vector<ModuleText>> modules(const Program& lowered, Level level, Diagnostics& diags) {
  const passes::ReturnRoots returns = passes::return_roots(lowered);
  std::vector<ModuleText> found;
  for (const Kernel& kernel : kernels_of(lowered)) {
    std::string text = "module attributes {pto.target_arch = \"a3\"} {\n";
    for (const Function* body : kernel.bodies) {
      text += FunctionEmitter(lowered, kernel, *body, returns, level, diags).run();
    }
    found.push_back({kernel.function->name, text + "}\n"});
  }
  if (diags.has_errors()) return std::nullopt;
  return found;
}

}  // namespace tilewire::target::pto
