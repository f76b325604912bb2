// What a run that stands still would have gone on to do.
#pragma once

#include "check/search.h"

namespace tilewire::check {

struct Outlook {
  interp::World world;
  Watch watch;            // of the run and of what comes after it
  size_t begin = 0;       // the first action of the trace that did not happen
  bool complete = false;  // everyone came to an end
};

// Carries on a deadlocked run as if every wait were met, by giving cells the values that are waited for. What
// comes out is an account of what the program still has to say, not of anything that can happen.
Outlook outlook_of(const Run& run);

}  // namespace tilewire::check
