// How a deadlocked run would have continued.
#pragma once

#include "check/search.h"

namespace tilewire::check {

struct Outlook {
  interp::World world;
  Watch watch;            // of the run and of its continuation
  size_t begin = 0;       // the first action of the trace that did not happen
  bool complete = false;  // every agent finished
};

// Continues a deadlocked run as if every wait were satisfied, by setting cells to the values that are
// awaited. The result describes the rest of the program, not anything that can happen.
Outlook outlook_of(const Run& run);

}  // namespace tilewire::check
