// Runs the checker on a program of a user: finds the entry and makes up missing arguments.
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
  std::string entry;           // empty: the only one
  std::vector<int64_t> ranks;  // empty: as the program determines, else 2 and 3
  int hosts = 1;               // that these are spread over evenly
  int calls = 1;               // over windows that keep their content
  int cores = 0;
  bool general = false;
  passes::KernelSplit split = passes::KernelSplit::Auto;
  bool reduce = true;  // false: to measure what the reduction of the search saves
  uint64_t seed = 1;
  size_t schedules = 0;  // at most; 0: the default
  // Arguments of the entry (driver/inputs/inputs.h); missing ones are made up.
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

// Of the first error, for a replay (driver/schedule/schedule_file.h); null if there is none.
const Schedule* first_schedule(const std::vector<check::Report>& reports);

}  // namespace tilewire::driver
