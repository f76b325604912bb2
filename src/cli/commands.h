// The `tilewire` command, one function per subcommand; main.cpp only reads the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewire::cli {

enum ExitCode { Fine = 0, Failed = 1, WrongUsage = 2, InvalidProgram = 3 };

// Where a program comes from: a file, or an object of a Python file.
struct InputOptions {
  std::string file;                    // .py text, or IR written by `tilewire emit --target ir`
  std::string python;                  // "FILE:NAME"; excludes all others
  std::vector<std::string> constants;  // "NAME=VALUE"
  std::vector<std::string> shapes;     // "x=4x16:FP32", "n=INT32"
  std::string entry;
};

struct PrintOptions {
  InputOptions input;
  std::string after;        // the name of a pass; empty: as it was read
  bool all_passes = false;  // after each of them
};

struct EmitOptions {
  InputOptions input;
  std::string target;
  std::string directory;  // empty: standard output
};

struct RunOptions {
  InputOptions input;
  std::string target = "cpu";
  std::vector<std::string> inputs;  // "x=x.npy", "n=4"
  uint64_t seed = 0;
  std::string out;  // folder for the results; empty: none
  std::string trace;
  bool stats = false;
  bool debug_bounds = false;
  int threads = 0;  // 0: one a core
};

// Each prints its result on standard output and messages on standard error, and gives the exit code.
int print(const PrintOptions& options);
int emit(const EmitOptions& options);
int run(const RunOptions& options);
int ops(const std::string& name);  // empty: all
int doctor();

}  // namespace tilewire::cli
