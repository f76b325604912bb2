#include "driver/executable.h"

#include "driver/cpu_executable.h"
#include "driver/entry.h"
#include "driver/interp_executable.h"
#include "support/diagnostics/bundle.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {

std::shared_ptr<Executable> Executable::compile(const ir::ProgramRef& program, const CompileOptions& options,
                                                Diagnostics& diags) {
  Entry entry = find_entry(program, options.entry, diags);
  if (!entry.function) return nullptr;
  if (options.target == "cpu") return compile_for_cpu(entry, options, diags);
  if (options.target == "interp") return compile_for_interp(entry, diags);
  diags.report(diag::no_such_run_target, {}, {options.target}).with_help("there are `cpu` and `interp`");
  return nullptr;
}

std::unique_ptr<Session> Executable::open(std::optional<int64_t>, Diagnostics& diags) {
  diags.report(diag::session_target, signature_.entry().span, {target_})
      .with_help("compile for the cpu target");
  return nullptr;
}

bool Executable::save(const std::string&, std::optional<int64_t>, Diagnostics& diags) {
  diags.report(diag::bundle_target, {}, {target_});
  return false;
}

}  // namespace tilewire::driver
