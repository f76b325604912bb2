#include "target/pto/pto.h"

#include <algorithm>

#include "ir/function_kinds.h"
#include "ops/pipe.h"
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
  std::string why =
      passes::plan_mixed(ref(&kernel), returns, shared.of(kernel), traits, diags).plan.obstacle();
  if (why.empty()) why = "no value goes from one core to the other";
  diags
      .report(diag::pto_inexpressible, kernel.span,
              {"`" + kernel.name + "`, which mixes products and vector work,", "it cannot be split: " + why})
      .with_help("put products and vector work into kernels of their own");
}

struct Attempt {
  std::string text;
  Diagnostics found;
  int64_t excess = 0, likely_excess = 0;
};

// The functions of a kernel. When they do not fit with all slots of its pipes they get fewer: half as many,
// and so on. Where the assembler plans and not even that is sure to fit, statements have temporaries of their
// own if that takes less.
std::string functions_of(const Program& lowered, const Kernel& kernel, const passes::ReturnRoots& returns,
                         Level level, Diagnostics& diags) {
  int64_t slots = 1;
  for (const Function* body : kernel.bodies) {
    for (const ops::Pipe& pipe : ops::pipes_of(*body)) slots = std::max(slots, pipe.slots);
  }
  auto attempt = [&](bool own_temporaries) {
    Attempt now;
    for (const Function* body : kernel.bodies) {
      FunctionEmitter emitter(lowered, kernel, *body, returns, level, {slots, own_temporaries}, now.found);
      now.text += emitter.run();
      now.excess = std::max(now.excess, emitter.excess());
      now.likely_excess = std::max(now.likely_excess, emitter.likely_excess());
    }
    return now;
  };
  Attempt best = attempt(false);
  while (best.excess > 0 && slots > 1) {
    slots /= 2;
    best = attempt(false);
  }
  if (level == Level::Two && best.likely_excess > 0) {
    Attempt other = attempt(true);
    if (other.likely_excess < best.likely_excess) best = std::move(other);
  }
  diags.append(best.found);
  return std::move(best.text);
}

}  // namespace

std::optional<std::vector<ModuleText>> modules(const Program& lowered, Level level, Diagnostics& diags) {
  const passes::ReturnRoots returns = passes::return_roots(lowered);
  std::vector<ModuleText> found;
  for (const Kernel& kernel : kernels_of(lowered)) {
    std::string text = "module attributes {pto.target_arch = \"a3\"} {\n";
    const auto mixed = std::find_if(kernel.bodies.begin(), kernel.bodies.end(),
                                    [](const Function* body) { return mixes_cores(*body); });
    if (mixed != kernel.bodies.end()) {
      refuse_mixed(lowered, **mixed, returns, diags);
      continue;
    }
    text += functions_of(lowered, kernel, returns, level, diags);
    found.push_back({kernel.function->name, text + "}\n"});
  }
  if (diags.has_errors()) return std::nullopt;
  return found;
}

}  // namespace tilewire::target::pto
