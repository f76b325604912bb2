// What is wrong with an input although the program stops on a checked error with it: an error of one rank
// does not make a race of others right, nor a deadlock that happens without it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/findings.h"
#include "check/search.h"

namespace tilewire::check {

struct OtherError {
  Run run;  // that shows it
  std::vector<Finding> findings;
  std::string method;
};

// `start`: of a world whose first run stopped on `error`. Races are those of schedules in which agents stop
// before their error; a deadlock is one that remains if ops that fail do nothing, or as much as they could to
// end it. Nothing where the error is all that is wrong, or the search has not found more.
std::optional<OtherError> error_despite(const interp::World& start, const interp::Code& entry,
                                        const Diagnostic& error, const SearchLimits& limits);

}  // namespace tilewire::check
