// Random small protocols as program text: a few ranks that write, read, notify, wait and test.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "ir/nodes.h"

namespace tilewire::check::test {

struct Protocol {
  std::string text;
  int ranks;
  std::set<std::string> has;  // "add", "set", "take", "read", "value", "wait ge", "test eq", ...
};

// The same seed gives the same protocol.
Protocol make_protocol(uint64_t seed);

// A program whose ranks run `body` with a window `w` of 4 floats and 4 cells `s`; `me` is the rank, `n` their
// number, `t` a tile of 4 floats.
std::string ranked(const std::string& body);

// The program of a text without its imports; a failed test and null when it has errors.
ir::ProgramRef read(const std::string& text);

}  // namespace tilewire::check::test
