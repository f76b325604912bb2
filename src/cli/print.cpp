// `tilewire print`: a program as text, as it was read or as passes left it.
#include <cstdio>

#include "cli/commands.h"
#include "cli/input.h"
#include "driver/execute/targets.h"
#include "ir/printer.h"
#include "passes/pipeline.h"
#include "support/diagnostics/passes.h"

namespace tilewire::cli {
namespace {

bool put(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

passes::Traits traits_of(const PrintOptions& options) {
  return passes::with_split(driver::default_target().traits, options.input.kernel_split());
}

int unknown_pass(const std::string& name, const passes::Traits& traits) {
  std::string names;
  for (const passes::Pass* pass : passes::pipeline(traits))
    names += (names.empty() ? "" : ", ") + std::string(pass->name);
  Diagnostics diags;
  diags.report(diag::unknown_pass, {}, {name}).with_help("choose from " + names);
  std::fputs(diags.text().c_str(), stderr);
  return WrongUsage;
}

// Errors and warnings of passes.
void say(const Diagnostics& diags) {
  if (!diags.all().empty()) std::fputs(diags.text().c_str(), stderr);
}

int print_all(const ir::ProgramRef& program, const passes::Traits& traits) {
  std::string before = ir::as_python(program);
  bool good = put("# as it was read\n" + before);
  Diagnostics diags;
  auto show = [&](const passes::Pass& pass, const ir::ProgramRef& now) {
    std::string text = ir::as_python(now);
    std::string title = "\n\n# after " + std::string(pass.name) + ", which " + pass.does;
    good = put(title + (text == before ? ": no change\n" : "\n" + text)) && good;
    before = std::move(text);
  };
  ir::ProgramRef lowered = passes::lower(program, traits, diags, show);
  say(diags);
  if (!lowered) return InvalidProgram;
  return good ? Fine : Failed;
}

}  // namespace

int print(const PrintOptions& options) {
  const passes::Traits traits = traits_of(options);
  const passes::Pass* last = options.after.empty() ? nullptr : passes::find_pass(options.after, traits);
  if (!options.after.empty() && !last) return unknown_pass(options.after, traits);
  Input input = read_input(options.input);
  if (!input.program) return input.exit_code;
  if (options.all_passes) return print_all(input.program, traits);
  ir::ProgramRef program = input.program;
  if (last) {
    Diagnostics diags;
    program = passes::lower_until(*last, program, traits, diags);
    say(diags);
    if (!program) return InvalidProgram;
  }
  return put(ir::as_python(program)) ? Fine : Failed;
}

}  // namespace tilewire::cli
