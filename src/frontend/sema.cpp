#include "frontend/sema.h"

#include "ops/registry.h"

namespace tilewire::frontend {

Sema::Sema(const Options& options, Diagnostics& diags)
    : options_(options), diags_(diags), ops_(ops::registry()) {}

Diagnostic& Sema::report(Diag id, const Range& range, std::vector<std::string> arguments) {
  return report(id, span(range), std::move(arguments));
}

Diagnostic& Sema::report(Diag id, const Span& at, std::vector<std::string> arguments) {
  return diags_.report(id, at, std::move(arguments));
}

ir::ProgramRef read_program(const Ref<const SourceFile>& file, const Options& options, Diagnostics& diags) {
  return Sema(options, diags).run(file);
}

}  // namespace tilewire::frontend
