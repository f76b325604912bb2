#include "driver/execute/executable.h"

#include "driver/execute/entry.h"
#include "driver/execute/targets.h"
#include "driver/execute/words.h"
#include "runtime/run.h"
#include "support/diagnostics/bundle.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {

std::shared_ptr<Executable> Executable::compile(const ir::ProgramRef& program, const CompileOptions& options,
                                                Diagnostics& diags) {
  Entry entry = find_entry(program, options.entry, diags);
  if (!entry.function) return nullptr;
  const Target* target = target_to_run(options.target, diags);
  return target ? target->compile(entry, options, diags) : nullptr;
}

Call Executable::repeat(const KnownCall& call, std::span<const abi::Word> arguments,
                        std::span<abi::Word> results, std::shared_ptr<void>& owner, int threads,
                        Diagnostics& diags) const {
  const runtime::Dispatch dispatch{.rank = 0, .entry = call.entry, .args = arguments, .results = results};
  runtime::Request request;
  request.module = call.module;
  request.dispatches = {&dispatch, 1};
  request.threads = threads;
  runtime::Outcome outcome = runtime::run(request);
  Call made;
  made.ok = outcome.ok();
  made.deadlock = outcome.ending == runtime::Ending::Deadlock;
  if (outcome.error) report(*outcome.error, diags);
  if (outcome.kept.count()) owner = std::make_shared<runtime::Kept>(std::move(outcome.kept));
  return made;
}

void Executable::report(const Diagnostic& error, Diagnostics& diags) const {
  diags.report(error.id, error.span) = error;
}

void Executable::remember(const BoundArguments& arguments, const CallOptions& options,
                          const KnownCall& call) {
  if (arguments.shared) return;  // code for such calls is slower
  const bool plain = options.trace.empty() && !options.stats && options.schedule.empty();
  if (plain && known_calls_.word_count() != 0) known_calls_.add(argument_words(signature_, arguments), call);
}

bool Executable::knows(const std::string& form, Diagnostics& diags) const {
  std::string names;
  for (const std::string& known : forms()) {
    if (known == form) return true;
    names += (names.empty() ? "`" : ", `") + known + "`";
  }
  diags.report(diag::no_such_form, {}, {signature_.name(), form}).with_help("choose from " + names);
  return false;
}

std::vector<std::string> Executable::written_forms() {
  std::vector<std::string> forms;
  for (const Target* target : targets()) {
    if (target->emitted && !target->runs && target->name != std::string_view("ir"))
      forms.push_back(target->name);
  }
  return forms;
}

std::optional<std::string> Executable::written(const std::string& form, Diagnostics& diags) const {
  const Target* target = target_to_emit(form, diags);
  if (!target) return std::nullopt;
  auto files = target->emit(program_, {.entry = signature_.name(), .target = form}, diags);
  if (!files) return std::nullopt;
  std::string text;
  for (const EmittedFile& file : *files) {
    if (!file.beside && !file.bytes) text += file.content;
  }
  return text;
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
