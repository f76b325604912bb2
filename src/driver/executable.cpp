#include "driver/executable.h"

#include <charconv>

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

bool Executable::begin_schedule(const CallOptions& options, const BoundArguments& arguments,
                                std::optional<uint64_t>& seed, Diagnostics& diags) {
  std::string_view text = options.schedule;
  if (text.empty()) return true;
  constexpr std::string_view random = "random:";
  if (text.starts_with(random)) {
    uint64_t number = 0;
    const char* end = text.data() + text.size();
    auto [stopped, error] = std::from_chars(text.data() + random.size(), end, number);
    if (error == std::errc() && stopped == end) seed = number;
  }
  if (!seed) {
    diags.report(diag::schedule_unknown, {}, {options.schedule})
        .with_help("there is `random:SEED`, SEED a number");
    return false;
  }
  poison_outputs(arguments);
  return true;
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
