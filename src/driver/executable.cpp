#include "driver/executable.h"

#include "driver/cpu_executable.h"
#include "driver/entry.h"
#include "driver/interp_executable.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {

std::shared_ptr<Executable> Executable::compile(const ir::ProgramRef& program, const CompileOptions& options,
                                                Diagnostics& diags) {
  Entry entry = find_entry(program, options.entry, diags);
  if (!entry.function) return nullptr;
  if (options.target == "cpu") return compile_for_cpu(entry, options, diags);
  if (options.target == "interp") return compile_for_interp(entry);
  diags.report(diag::no_such_run_target, {}, {options.target}).with_help("there are `cpu` and `interp`");
  return nullptr;
}

}  // namespace tilewire::driver
