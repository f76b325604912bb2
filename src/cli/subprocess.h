// Running another program and reading what it prints.
#pragma once

#include <string>
#include <vector>

namespace tilewire::cli {

struct Finished {
  int status = -1;      // exit status; 128 + number after a signal
  std::string output;   // all of its standard output
  std::string problem;  // non-empty: it could not be started, and why
};

// Finds argv[0] on PATH. Standard input is empty; standard error is ours, or dropped when `quiet`.
Finished run_program(const std::vector<std::string>& argv, bool quiet = false);

}  // namespace tilewire::cli
