#include "driver/execute/pto_target.h"

#include <iterator>
#include <utility>

#include "driver/execute/pto_host.h"
#include "passes/pipeline.h"
#include "support/diagnostics/pto.h"
#include "target/pto/pto.h"

namespace tilewire::driver {
namespace {

class PtoTarget final : public Target {
 public:
  PtoTarget()
      : Target("pto", "text for the PTO assembler of Ascend NPUs", target::pto::traits, false,
               "MLIR for the PTO assembler, KERNEL.pto for each kernel") {}

  std::optional<std::vector<EmittedFile>> emit(const ir::ProgramRef& program, const CompileOptions& options,
                                               Diagnostics& diags) const override {
    auto level = target::pto::level_from_text(options.level.empty() ? "level2" : options.level);
    if (!level) {
      diags.report(diag::pto_level, {}, {options.level}).with_help("use `level2` or `level3`");
      return std::nullopt;
    }
    const ir::ProgramRef whole = options.entry.empty() ? with_pass_throughs(program)
                                                       : find_entry(program, options.entry, diags).program;
    ir::ProgramRef lowered =
        whole ? passes::lower(whole, passes::with_split(traits, options.split), diags) : nullptr;
    if (!lowered) return std::nullopt;
    auto modules = target::pto::modules(*lowered, *level, diags);
    auto host = pto_host_files(lowered, diags);
    if (!modules || !host) return std::nullopt;
    std::vector<EmittedFile> files;
    for (auto& module : *modules) files.push_back({module.name + ".pto", std::move(module.text)});
    std::move(host->begin(), host->end(), std::back_inserter(files));
    return files;
  }
};

}  // namespace

const Target& pto_target() {
  static const PtoTarget target;
  return target;
}

}  // namespace tilewire::driver
