// IR as text for debugging the compiler. The program text of IR is written by printer.h.
#pragma once

#include <string>

#include "ir/nodes.h"

namespace tilewire::ir {

// Every field of every node, one line per statement; variables are numbered, which distinguishes equal
// names. A shared node is written at each of its places.
std::string dump(const NodeRef& node);

// One line: `ConstInt(value=3, dtype=pl.INDEX)`. Deep or long parts are elided with `...`.
std::string repr(const NodeRef& node);

}  // namespace tilewire::ir
