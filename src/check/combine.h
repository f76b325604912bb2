// Several inputs, one report.
#pragma once

#include <string>
#include <vector>

#include "check/report.h"

namespace tilewire::check {

// The report of a check of one input that was made up; `text` says what it is.
struct Trial {
  std::string text;
  Report report;
  std::string setting = {};  // the option that gives it: "--in n=2"

  // The program stops on a checked error with it, whatever the schedule: it is not an input of the program.
  bool is_valid() const { return report.verdict != Verdict::Invalid && !report.stopped; }
};

// Of one number of ranks; at least one trial. Inputs that are not valid are listed, and are the verdict only
// if none is valid. Of the others the worst counts. A trial that is refuted is the last one.
Report combine(std::vector<Trial> trials);

}  // namespace tilewire::check
