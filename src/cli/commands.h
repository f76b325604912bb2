// The `tilewire` command, one function per subcommand; main.cpp only reads the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/traits.h"

namespace CLI {
class App;
}

namespace tilewire::cli {

// Bounded: `check` could not prove the program within its limits. WrongUsage is EX_USAGE of sysexits.h.
enum ExitCode { Fine = 0, Failed = 1, Bounded = 2, InvalidProgram = 3, WrongUsage = 64 };

// Where a program comes from: a file, or an object of a Python file.
struct InputOptions {
  std::string file;                    // .py text, or IR written by `tilewire emit --target ir`
  std::string python;                  // "FILE:NAME"; excludes all others
  std::vector<std::string> constants;  // "NAME=VALUE"
  std::vector<std::string> shapes;     // "x=4x16:FP32", "n=INT32"
  std::string entry;
  std::string split;  // "auto", "fused" or "split"; empty: auto

  passes::KernelSplit kernel_split() const {
    return passes::kernel_split(split).value_or(passes::KernelSplit::Auto);
  }
};

struct PrintOptions {
  InputOptions input;
  std::string after;        // the name of a pass; empty: as it was read
  bool all_passes = false;  // print the program after each pass
};

struct EmitOptions {
  InputOptions input;
  std::string target;
  std::string level;      // of pto: "level2" or "level3"; empty: level2
  std::string directory;  // empty: standard output
};

struct RunOptions {
  InputOptions input;
  std::string target = "cpu";
  std::optional<int64_t> ranks;     // empty: as the program and its arguments determine
  std::vector<std::string> inputs;  // "x=x.npy", "n=4"
  uint64_t seed = 0;
  std::string out;  // folder for the results; empty: none
  std::string trace;
  std::string schedule;  // "random:SEED"; empty: no perturbation
  std::string replay;    // a schedule of `tilewire check --replay-out`; supplies options not set
  bool stats = false;
  bool debug_bounds = false;
  int threads = 0;  // 0: one per core
};

struct CheckOptions {
  InputOptions input;
  std::vector<int64_t> ranks;       // empty: as the program determines, else 2 and 3
  int hosts = 1;                    // hosts that these ranks are spread over evenly
  std::vector<std::string> inputs;  // "x=x.npy", "n=4"
  int calls = 1;
  int cores = 0;
  bool general = false;
  bool json = false;
  uint64_t seed = 1;
  size_t limit = 0;
  std::string replay_out;
  std::string html;
};

struct BuildOptions {
  InputOptions input;
  std::string directory;
  std::optional<int64_t> ranks;  // nothing: any number
  bool debug_bounds = false;
};

// Each prints its result on standard output and messages on standard error, and returns the exit code.
int print(const PrintOptions& options);
int emit(const EmitOptions& options);
int run(const RunOptions& options);  // a program, or a bundle when the file is a folder
int build(const BuildOptions& options);
int check(const CheckOptions& options);
int ops(const std::string& name);  // empty: all
int explain(const std::string& code);
int doctor();

// For "bash", "zsh" or "fish".
std::string completion_script(const CLI::App& app, std::string_view shell);

}  // namespace tilewire::cli
