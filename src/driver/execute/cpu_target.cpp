#include "driver/execute/cpu_target.h"

#include "driver/execute/cpu_library.h"
#include "target/cpu/traits.h"

namespace tilewire::driver {
namespace {

class CpuTarget final : public CompiledTarget {
 public:
  CpuTarget()
      : CompiledTarget("cpu", "native code", target::cpu::traits, true,
                       "LLVM's text of the native code, program.ll") {}

  std::string problem() const override {
    Diagnostics diags;
    return cpu_library(diags) ? "" : diags.all().front().message;
  }
  std::unique_ptr<target::Code> code(const ir::ProgramRef& lowered, const target::CodeOptions& options,
                                     Diagnostics& diags) const override {
    const target::cpu::Library* library = cpu_library(diags);
    return library ? library->compile(lowered, {options}, diags) : nullptr;
  }
  std::unique_ptr<target::Code> load(std::span<const std::byte> object) const override {
    Diagnostics diags;
    std::string problem;
    const target::cpu::Library* library = cpu_library(diags);
    return library ? library->load_object(object, problem) : nullptr;
  }
  std::string identity() const override { return cpu_identity(); }

  std::optional<std::vector<EmittedFile>> emit(const ir::ProgramRef& program, const CompileOptions& options,
                                               Diagnostics& diags) const override {
    Entry entry = find_entry(program, options.entry, diags);
    auto executable = entry.function ? compile(entry, options, diags) : nullptr;
    auto text = executable ? executable->text(name, diags) : std::nullopt;
    if (!text) return std::nullopt;
    return std::vector<EmittedFile>{{"program.ll", std::move(*text), false}};
  }
};

}  // namespace

const CompiledTarget& cpu_target() {
  static const CpuTarget target;
  return target;
}

}  // namespace tilewire::driver
