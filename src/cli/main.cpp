#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <charconv>
#include <cstdio>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "driver/execute/targets.h"
#include "support/diagnostics.h"
#include "support/diagnostics/command.h"
#include "support/near.h"

namespace {

using namespace tilewire::cli;

constexpr const char* exit_codes =
    "Exit codes: 0 fine, 1 failed, 3 invalid program, 64 wrong usage. Messages go to standard error.";

// Option lines without CLI11's lists of exclusions, and usage lines with the required arguments.
class HelpText : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? "" : " " + option->get_type_name();
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    auto found = usages.find(app->get_name());
    return "Usage: " + name + " " + (found == usages.end() ? "COMMAND ..." : found->second) + "\n";
  }

 private:
  const std::map<std::string, std::string> usages = {
      {"print",
       "(FILE | --python FILE:NAME) [--after PASS | --all-passes] [-D NAME=VALUE]... [--entry NAME]"},
      {"emit", "(FILE | --python FILE:NAME) --target TARGET [--level LEVEL] [-o DIR] [-D NAME=VALUE]..."},
      {"run",
       "(FILE | BUNDLE | --python FILE:NAME) [--ranks N] [--entry NAME] [--in NAME=FILE.npy]... [--seed N] "
       "[--out "
       "DIR]"},
      {"check",
       "(FILE | --python FILE:NAME) [--ranks 2,3] [--hosts H] [--cores K] [--json] [--html FILE] "
       "[--replay-out FILE] [-D "
       "NAME=VALUE]..."},
      {"build", "(FILE | --python FILE:NAME) -o DIR [--ranks N] [--entry NAME] [-D NAME=VALUE]..."},
      {"ops", "[NAME]"},
      {"explain", "CODE"},
      {"completion", "bash | zsh | fish"},
      {"doctor", ""},
  };
};

// A whole number within bounds; CLI11's own ranges show up in the help.
CLI::Validator whole_number(int64_t least, int64_t most = std::numeric_limits<int32_t>::max()) {
  return CLI::Validator(
      [least, most](const std::string& text) -> std::string {
        int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = error == std::errc() && end == text.data() + text.size();
        if (whole && value >= least && value <= most) return {};
        return "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
               ", got " + text;
      },
      "");
}

CLI::Validator rank_counts() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size()) return {};
        return "write the numbers with commas, --ranks 2,3,4; got " + text;
      },
      "");
}

void add_input(CLI::App& command, InputOptions& input) {
  auto* file =
      command.add_option("FILE", input.file, "A .py program, or IR from `tilewire emit --target ir`");
  auto* python =
      command.add_option("--python", input.python,
                         "Import FILE with the python3 on PATH and take its object NAME: for programs "
                         "made by Python functions");
  file->type_name("")->excludes(python);
  python->type_name("FILE:NAME");
  command
      .add_option("-D,--define", input.constants,
                  "Set a constant of FILE, or define one that it lacks; a Python value")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->excludes(python);
  command.add_option("--entry", input.entry, "Start from this function; the default is all that can start")
      ->type_name("NAME")
      ->excludes(python);
  command
      .add_option(
          "--split", input.split,
          "Whether kernels that mix products and vector work run as a cube and a vector half: auto, fused or "
          "split. Results are the same")
      ->type_name("HOW")
      ->check(CLI::IsMember({"auto", "fused", "split"}));
  command
      .add_option("--shape", input.shapes,
                  "Type of a parameter without annotation, or sizes of its dynamic dimensions: x=4x16:FP32 "
                  "is a tensor, n=INT32 a scalar")
      ->type_name("NAME=TYPE")
      ->allow_extra_args(false)
      ->excludes(python);
  command.parse_complete_callback([&input] {
    if (input.file.empty() && input.python.empty()) throw CLI::RequiredError("FILE or --python FILE:NAME");
  });
}

// "cpu: native code; interp: the reference interpreter": `of` a target, if it has such a text.
std::string described_targets(const char* (*of)(const tilewire::driver::Target&)) {
  std::string text;
  for (const tilewire::driver::Target* target : tilewire::driver::targets()) {
    const char* does = of(*target);
    if (does) text += (text.empty() ? "" : "; ") + std::string(target->name) + ": " + does;
  }
  return text;
}

std::string targets_to_run() {
  return described_targets([](const auto& target) { return target.runs ? target.does : nullptr; });
}

std::string targets_to_emit() {
  return described_targets([](const auto& target) { return target.emitted; });
}

void add_run(CLI::App& command, RunOptions& options) {
  command
      .add_option(
          "--ranks", options.ranks,
          "Ranks of a program with a host function; not needed where the program or its arguments say")
      ->type_name("N");
  command
      .add_option("--in", options.inputs,
                  "Argument for a parameter: x=x.npy for a tensor, n=4 for a scalar; tensors left out are "
                  "filled at random")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--seed", options.seed, "Of the random arrays; 0 when left out")->type_name("N");
  command.add_option("--out", options.out, "Folder for the outputs as .npy files; made if missing")
      ->type_name("DIR");
  command.add_option("--target", options.target, targets_to_run())->type_name("TARGET");
  command.add_option("--threads", options.threads, "Worker threads (default: one per core)")
      ->type_name("N")
      ->check(whole_number(1));
  CLI::Option* schedule = command
                              .add_option("--schedule", options.schedule,
                                          "random:SEED delays and reorders tasks and transfers on purpose")
                              ->type_name("S");
  command
      .add_option("--replay", options.replay,
                  "Follow a schedule that `tilewire check --replay-out` wrote, with its ranks and inputs")
      ->type_name("FILE")
      ->excludes(schedule);
  command.add_option("--trace", options.trace, "Write a trace of tasks and blocks for Perfetto")
      ->type_name("FILE");
  command.add_flag("--stats", options.stats, "Print how long tasks took");
  command.add_flag("--debug-bounds", options.debug_bounds, "Check every access to memory");
}

void add_check(CLI::App& command, CheckOptions& options) {
  command.footer(
      "Exit codes: 0 proved, 1 refuted, 2 not proved within the limits, 3 invalid program, 64 wrong usage.");
  command
      .add_option("--ranks", options.ranks, "Numbers of ranks to check; what the program says, else 2 and 3")
      ->type_name("N,...")
      ->delimiter(',')
      ->check(rank_counts())
      ->allow_extra_args(false);
  command
      .add_option("--in", options.inputs,
                  "Argument: an array from a file, x=x.npy, or a number, n=4. Numbers left out are 0, "
                  "arrays are made up")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--hosts", options.hosts,
                  "Hosts that the ranks live on, as many on each, for collectives (default: 1)")
      ->type_name("H")
      ->check(whole_number(1, 65536));
  command
      .add_option("--calls", options.calls,
                  "Calls of the entry, one after the other over windows that keep their content (default: 1)")
      ->type_name("N")
      ->check(whole_number(1, 65536));
  command
      .add_option("--cores", options.cores, "Blocks of a rank that run at a time; any number when left out")
      ->type_name("K")
      ->check(whole_number(0));
  command.add_option("--limit", options.limit, "Schedules to try before going on at random (default: 20000)")
      ->type_name("N");
  command.add_option("--seed", options.seed, "Of inputs and of schedules at random")->type_name("N");
  command.add_flag("--general", options.general, "Try schedules also where one run would decide");
  command.add_flag("--json", options.json, "Print the reports as JSON");
  command.add_option("--html", options.html, "Write the reports as a page to look at")->type_name("FILE");
  command.add_option("--replay-out", options.replay_out, "Write the schedule of the first error there")
      ->type_name("FILE");
}

void add_build(CLI::App& command, BuildOptions& options) {
  command.add_option("-o,--output", options.directory, "Folder of the bundle; one that is there is replaced")
      ->required()
      ->type_name("DIR");
  command
      .add_option("--ranks", options.ranks, "Build for this number of ranks only; any number when left out")
      ->type_name("N")
      ->check(whole_number(1));
  command.add_flag("--debug-bounds", options.debug_bounds, "Check every access to memory");
}

// Options that the command does not have, each with the nearest one that it has; or arguments without a
// place.
int extra_arguments(const CLI::App& app, std::span<char*> arguments) {
  const CLI::App* command = &app;
  if (!app.get_subcommands().empty()) command = app.get_subcommands().front();
  const std::string name = command == &app ? "tilewire" : "tilewire " + command->get_name();
  std::vector<std::string> known;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& each : option->get_lnames()) known.push_back("--" + each);
  }
  tilewire::Diagnostics diags;
  std::vector<std::string> values;
  for (const std::string& argument : command->remaining()) {
    if (!argument.starts_with("-")) {
      values.push_back(argument);
      continue;
    }
    const std::string option = argument.substr(0, argument.find('='));
    // A prefix counts as near: `--call` for `--calls`, `--all` for `--all-passes`.
    std::optional<std::string> near = tilewire::nearest(option, known);
    for (const std::string& each : known) {
      if (option.size() > 4 && each.starts_with(option)) near = each;
    }
    diags.report(tilewire::diag::no_such_option, {}, {name, option})
        .with_help(near ? "did you mean `" + *near + "`?" : "run `" + name + " --help` for a list");
  }
  if (!diags.has_errors()) {
    const std::string first = values.empty() ? std::string(arguments.back()) : values.front();
    diags.report(tilewire::diag::extra_argument, {}, {name, first})
        .with_help("run `" + name + " --help` for its arguments");
  }
  std::fputs(diags.text().c_str(), stderr);
  return WrongUsage;
}

int unknown_command(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  const std::optional<std::string> near = tilewire::nearest(name, names);
  tilewire::Diagnostics diags;
  diags.report(tilewire::diag::no_such_command, {}, {name})
      .with_help(near ? "did you mean `tilewire " + *near + "`?" : "run `tilewire --help` for a list");
  std::fputs(diags.text().c_str(), stderr);
  return WrongUsage;
}

int execute(int argc, char** argv) {
  CLI::App app("Tilewire: a compiler for distributed tile programs", "tilewire");
  app.set_version_flag("--version", "tilewire " TILEWIRE_VERSION);
  app.footer(exit_codes);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpText>());
  app.get_formatter()->column_width(28);

  PrintOptions print_options;
  CLI::App* print_command =
      app.add_subcommand("print", "Read and check a program and print it as Python text");
  add_input(*print_command, print_options.input);
  auto* after =
      print_command->add_option("--after", print_options.after, "Lower it up to and with this pass");
  after->type_name("PASS");
  print_command->add_flag("--all-passes", print_options.all_passes, "Print it after every pass")
      ->excludes(after);

  EmitOptions emit_options;
  CLI::App* emit_command = app.add_subcommand("emit", "Write what a program becomes for a target");
  add_input(*emit_command, emit_options.input);
  emit_command->add_option("--target", emit_options.target, targets_to_emit())
      ->required()
      ->type_name("TARGET");
  emit_command
      ->add_option("--level", emit_options.level,
                   "pto: level2, the assembler places tiles (default), or level3, the text does")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"level2", "level3"}));
  emit_command->add_option("-o,--output", emit_options.directory, "Folder to write to; made if missing")
      ->type_name("DIR");

  RunOptions run_options;
  CLI::App* run_command = app.add_subcommand("run", "Compile a program, run it and say what came out");
  add_input(*run_command, run_options.input);
  add_run(*run_command, run_options);

  CheckOptions check_options;
  CLI::App* check_command = app.add_subcommand(
      "check", "Tell whether a program can race, deadlock or misuse signals under any schedule");
  add_input(*check_command, check_options.input);
  add_check(*check_command, check_options);

  BuildOptions build_options;
  CLI::App* build_command = app.add_subcommand(
      "build", "Compile a program into a bundle, a folder that runs without source and compiler");
  add_input(*build_command, build_options.input);
  add_build(*build_command, build_options);

  std::string op_name;
  CLI::App* ops_command = app.add_subcommand("ops", "List the ops of the language, or describe one");
  ops_command->add_option("NAME", op_name, "pl.tile.add, tile.add or add")->type_name("");

  std::string code;
  CLI::App* explain_command =
      app.add_subcommand("explain", "Say what a message means and what to do about it");
  explain_command->add_option("CODE", code, "The code of a message: TW2501")->required()->type_name("");

  std::string shell;
  CLI::App* completion_command =
      app.add_subcommand("completion", "Print a script that completes commands and options in a shell");
  completion_command->add_option("SHELL", shell, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));

  CLI::App* doctor_command =
      app.add_subcommand("doctor", "Tell what is installed and what this build can do");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (argc == 1) {
      std::fputs(app.help().c_str(), stderr);
      return WrongUsage;
    }
    if (app.get_subcommands().empty() && argv[1][0] != '-') return unknown_command(app, argv[1]);
    if (dynamic_cast<const CLI::ExtrasError*>(&e))
      return extra_arguments(app, std::span(argv + 1, argv + argc));
    return app.exit(e) == 0 ? Fine : WrongUsage;
  }
  if (*print_command) return print(print_options);
  if (*emit_command) return emit(emit_options);
  if (*run_command) return tilewire::cli::run(run_options);
  if (*check_command) return check(check_options);
  if (*build_command) return build(build_options);
  if (*ops_command) return ops(op_name);
  if (*explain_command) return explain(code);
  if (*completion_command) {
    std::fputs(completion_script(app, shell).c_str(), stdout);
    return Fine;
  }
  if (*doctor_command) return doctor();
  return WrongUsage;
}

}  // namespace

int main(int argc, char** argv) {
  int code = Failed;
  try {
    code = execute(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("tilewire: there is not enough memory\n", stderr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tilewire: %s\nThis is a fault of Tilewire, not of the program it was given.\n",
                 e.what());
  }
  // A full disk shows only when the last bytes are written.
  if (std::fflush(stdout) != 0 && code == Fine) {
    std::perror("tilewire: cannot write the output");
    return Failed;
  }
  return code;
}
