// The checker over a program as users give it: the entry is found and its arguments are made up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "check/check.h"
#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

struct CheckOptions {
  std::string entry;           // empty: the only one there is
  std::vector<int64_t> ranks;  // empty: what the program says, else 2 and 3
  int cores = 0;
  bool general = false;
  uint64_t seed = 1;
  size_t schedules = 0;                                 // at most; 0: the default
  std::map<std::string, int64_t, std::less<>> scalars;  // of the entry; 0 where not given
};

// One report per number of ranks. Dynamic dimensions of the entry are the number of ranks (4 where there is
// no host function), integers are 0, floats random. Empty after reporting why there is nothing to check.
std::vector<check::Report> check_program(const ir::ProgramRef& program, const CheckOptions& options,
                                         Diagnostics& diags);

}  // namespace tilewire::driver
