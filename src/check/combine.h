// Combines the reports of several inputs into one.
#pragma once

#include <string>
#include <vector>

#include "check/report.h"

namespace tilewire::check {

// The report of a check of one made-up input, which `text` describes.
struct Trial {
  std::string text;
  Report report;
  std::string setting = {};  // the option that sets it: "--in n=2"

  // The program stops on a checked error with it in every schedule: it is not a valid input of the program.
  bool is_valid() const { return report.verdict != Verdict::Invalid && !report.stopped; }
};

// Of one number of ranks; at least one trial. Inputs that are not valid are listed, and are the verdict only
// if none is valid. Of the others the worst counts. A refuted trial is the last one.
Report combine(std::vector<Trial> trials);

}  // namespace tilewire::check
