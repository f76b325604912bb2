#include "driver/execute/sources.h"

namespace tilewire::driver {

Sources::Sources(const ir::Program& program) {
  for (const ir::FunctionRef& function : program.functions) {
    if (const auto& file = function->span.file) files_.emplace(file->name(), file);
  }
}

void Sources::report(const Diagnostic& error, Diagnostics& diags) const {
  Diagnostic with_text = error;
  if (error.span.file) {
    auto found = files_.find(error.span.file->name());
    if (found != files_.end()) with_text.span.file = found->second;
  }
  diags.report(error.id, with_text.span) = with_text;
}

}  // namespace tilewire::driver
