// Runs another program and returns its output.
#pragma once

#include <string>
#include <vector>

namespace tilewire::cli {

struct Finished {
  int status = -1;      // exit status; 128 + number after a signal
  std::string output;   // all of its standard output
  std::string problem;  // non-empty: why it could not be started
};

// Searches PATH for argv[0]. Standard input is empty; standard error is shared, or dropped if `quiet`.
Finished run_program(const std::vector<std::string>& argv, bool quiet = false);

}  // namespace tilewire::cli
