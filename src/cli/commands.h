// The `tilewire` command, one function per subcommand; main.cpp only reads the command line.
#pragma once

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

struct EmitOptions {
  InputOptions input;
  std::string target;
  std::string directory;  // empty: standard output
};

// Each prints its result on standard output and messages on standard error, and gives the exit code.
int print(const InputOptions& options);
int emit(const EmitOptions& options);
int ops(const std::string& name);  // empty: all
int doctor();

}  // namespace tilewire::cli
