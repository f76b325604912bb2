// `tilewire build`: compile a program into a bundle.
#include <cstdio>

#include "cli/commands.h"
#include "cli/input.h"
#include "driver/execute/executable.h"

namespace tilewire::cli {

int build(const BuildOptions& options) {
  Input input = read_input(options.input);
  if (!input.program) return input.exit_code;
  Diagnostics diags;
  driver::CompileOptions compile;
  compile.entry = options.input.entry;
  compile.bounds = options.debug_bounds;
  compile.split = options.input.kernel_split();
  auto executable = driver::Executable::compile(input.program, compile, diags);
  if (!executable || !executable->save(options.directory, options.ranks, diags)) {
    std::fputs(diags.text().c_str(), stderr);
    return executable ? Failed : InvalidProgram;
  }
  std::printf("%s\n", options.directory.c_str());
  return Fine;
}

}  // namespace tilewire::cli
