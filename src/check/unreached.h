// Code that no run has reached: a proof does not cover it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/report.h"
#include "check/rounds.h"
#include "ir/nodes.h"

namespace tilewire::check {

struct Tried {
  std::string text;  // "2 ranks with n = 0, 1, 2, 3"
  std::string help;  // what else to try
};

// One finding per function, launch and loop of `written`, and per branch that communicates, that `program`,
// which was made of it, still has, and that did not run; of those inside of one another, the outermost.
// `reached`: Report::reached of checks of `program`, joined.
std::vector<Finding> unreached(const ir::ProgramRef& program, const ir::Program& written,
                               std::string_view entry, const std::vector<uint8_t>& reached,
                               const Tried& tried);

// That a loop went round once, or a launch had one block, and no more.
Finding one_round(const Walk& walk, const Tried& tried);

// For reports made one at a time: drops such findings if another report has reached the place.
void drop_reached_elsewhere(const std::vector<Report*>& reports);

}  // namespace tilewire::check
