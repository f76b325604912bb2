// The checker over a program as users give it: the entry is found and its arguments are made up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "check/check.h"
#include "driver/execute/arguments.h"
#include "ir/nodes.h"
#include "passes/traits.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

struct CheckOptions {
  std::string entry;           // empty: the only one there is
  std::vector<int64_t> ranks;  // empty: what the program says, else 2 and 3
  int hosts = 1;               // that these live on, as many on each
  int calls = 1;               // over windows that keep their content
  int cores = 0;
  bool general = false;
  passes::KernelSplit split = passes::KernelSplit::Auto;
  bool reduce = true;  // false: to measure what the reduction of the search saves
  uint64_t seed = 1;
  size_t schedules = 0;  // at most; 0: the default
  // Arguments of the entry (driver/inputs/inputs.h); what is not given is made up.
  std::vector<std::string> inputs;                         // "x=x.npy", "n=4"
  std::map<std::string, Argument, std::less<>> given;      // in memory, by name; never written
  std::map<std::string, ir::TypeRef, std::less<>> shapes;  // of arrays to make up
  check::OnProgress progress = {};
};

// One report per number of ranks, for all inputs that were tried (driver/inputs/trial_values.h): integers
// that are made up are 0 in arrays, floats random. A warning that something is unreached is about all reports
// together. Empty after reporting why there is nothing to check.
std::vector<check::Report> check_program(const ir::ProgramRef& program, const CheckOptions& options,
                                         Diagnostics& diags);

// Of the first error, to be followed by a run (driver/schedule/schedule_file.h); null without any.
const Schedule* first_schedule(const std::vector<check::Report>& reports);

}  // namespace tilewire::driver
