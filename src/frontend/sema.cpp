#include "frontend/sema.h"

#include "frontend/sema_program.h"
#include "ops/registry.h"

namespace tilewire::frontend {

Sema::Sema(const Options& options, Diagnostics& diags)
    : options(options), diags(diags), ops(ops::registry()) {}

Diagnostic& Sema::report(Diag id, const Range& range, std::vector<std::string> arguments) {
  return report(id, span(range), std::move(arguments));
}

Diagnostic& Sema::report(Diag id, const Span& at, std::vector<std::string> arguments) {
  return diags.report(id, at, std::move(arguments));
}

// A correct program is read function by function, so that no tree of it ever exists. What is wrong with
// another is said by reading it as a whole: errors of syntax first, and knowing of them when names are
// missing.
ir::ProgramRef read_program(const Ref<const SourceFile>& file, const Options& options, Diagnostics& diags) {
  if (!diags.has_errors()) {
    Diagnostics found;
    Sema quick(options, found);
    if (ir::ProgramRef program = read_program(quick, file, Bodies::Skipped)) {
      diags.append(found);
      return program;
    }
  }
  Sema whole(options, diags);
  return read_program(whole, file, Bodies::Read);
}

}  // namespace tilewire::frontend
