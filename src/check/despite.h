// Errors of an input besides the checked error that stops the program: an error of one rank
// does not excuse a race of others, nor a deadlock that happens without it.
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
// end it. Empty if there is no other error, or the search has not found one.
std::optional<OtherError> error_despite(const interp::World& start, const interp::Code& entry,
                                        const Diagnostic& error, const SearchLimits& limits);

}  // namespace tilewire::check
