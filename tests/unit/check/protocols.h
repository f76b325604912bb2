// Random small protocols as program text: a few ranks that write, read, notify, wait and test.
#pragma once

#include <cstdint>
#include <string>

#include "ir/nodes.h"

namespace tilewire::check::test {

struct Protocol {
  std::string text;
  int ranks;
};

// The same seed gives the same protocol.
Protocol make_protocol(uint64_t seed);

// The program of a text without its imports; a failed test and null when it has errors.
ir::ProgramRef read(const std::string& text);

}  // namespace tilewire::check::test
