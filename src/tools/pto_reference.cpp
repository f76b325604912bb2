// docs/pto-ops.md: how each op of kernels is written for the PTO assembler, from the rules of the target.
#include "ops/registry.h"
#include "target/pto/rules.h"
#include "tools/generators.h"

namespace tilewire::tools {

using namespace ir;

namespace {

// The translation of an op that has no rule; empty for a forgotten one.
std::string without_rule(const Op& op) {
  if (op.expansion) return "the ops it is made of ([ops](ops.md))";
  if (op.on_tensors) return "loads, the op on tiles and stores";
  return op.no_rule;
}

}  // namespace

std::string pto_reference() {
  std::string text =
      "# Ops for the PTO assembler\n\n"
      "Made from the rules of the target by `tilewire-generate`; [pto.md](pto.md) says how to use it. An op "
      "that is written\n"
      "for some element types only is refused for others, with the line of the program.\n\n"
      "| op | element types | becomes |\n|---|---|---|\n";
  for (const Op& op : ops::registry().all()) {
    if (!(op.levels & OnKernel) || op.name.starts_with("scalar.")) continue;
    const target::pto::Rule* rule = target::pto::rules().find(op);
    std::string becomes = rule ? rule->becomes : without_rule(op);
    if (rule && !rule->emit) becomes = "cannot be written: " + becomes;
    const std::string dtypes = rule ? rule->dtypes.text() : "";
    text += "| `" + op.qualified() + "` | " + (dtypes.empty() ? "" : dtypes) + " | " + becomes + " |\n";
  }
  return text;
}

}  // namespace tilewire::tools
