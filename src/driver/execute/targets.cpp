#include "driver/execute/targets.h"

#include "driver/execute/compiled_executable.h"
#include "driver/execute/cpu_target.h"
#include "driver/execute/interp_executable.h"
#include "driver/execute/pto_target.h"
#include "ir/serialize.h"
#include "support/diagnostics/command.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {
namespace {

class InterpTarget final : public Target {
 public:
  InterpTarget()
      : Target("interp", "the reference interpreter", passes::for_interp(cpu_target().traits), true,
               nullptr) {}
  std::shared_ptr<Executable> compile(const Entry& entry, const CompileOptions& options,
                                      Diagnostics& diags) const override {
    return compile_for_interp(entry, *this, options, diags);
  }
};

class IrTarget final : public Target {
 public:
  IrTarget()
      : Target("ir", "the program as it was read", {}, false, "the serialised program, program.twir") {}
  std::optional<std::vector<EmittedFile>> emit(const ir::ProgramRef& program, const CompileOptions&,
                                               Diagnostics&) const override {
    return std::vector<EmittedFile>{{"program.twir", ir::to_bytes(ir::NodeRef(program)), true}};
  }
};

// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  }
  return text;
}

const Target* find(std::string_view name, Diag none, bool (*fits)(const Target&), Diagnostics& diags) {
  std::vector<std::string> names;
  for (const Target* target : targets()) {
    if (!fits(*target)) continue;
    if (target->name == name) return target;
    names.push_back("`" + std::string(target->name) + "`");
  }
  diags.report(none, {}, {std::string(name)}).with_help("choose from " + listed(names));
  return nullptr;
}

}  // namespace

std::span<const Target* const> targets() {
  static const InterpTarget interp;
  static const IrTarget ir;
  static const Target* const table[] = {&cpu_target(), &interp, &pto_target(), &ir};
  return table;
}

const Target& default_target() {
  return *targets().front();
}

const Target* target_to_run(std::string_view name, Diagnostics& diags) {
  return find(
      name, diag::no_such_run_target, [](const Target& target) { return target.runs; }, diags);
}

const Target* target_to_emit(std::string_view name, Diagnostics& diags) {
  return find(
      name, diag::unknown_target, [](const Target& target) { return target.emitted != nullptr; }, diags);
}

std::shared_ptr<Executable> Target::compile(const Entry&, const CompileOptions&, Diagnostics&) const {
  TW_CHECK(false, std::string("the target ") + name + " does not run programs");
  return nullptr;
}

std::optional<std::vector<EmittedFile>> Target::emit(const ir::ProgramRef&, const CompileOptions&,
                                                     Diagnostics&) const {
  TW_CHECK(false, std::string("the target ") + name + " emits nothing");
  return std::nullopt;
}

std::shared_ptr<Executable> CompiledTarget::compile(const Entry& entry, const CompileOptions& options,
                                                    Diagnostics& diags) const {
  return CompiledExecutable::make(entry, *this, options, diags);
}

}  // namespace tilewire::driver
