// IR as text for people who debug the compiler. Programs print themselves with printer.h.
#pragma once

#include <string>

#include "ir/nodes.h"

namespace tilewire::ir {

// Every field of every node, one line per statement; variables are numbered so that equal names can be told
// apart. A shared node is written at each of its places.
std::string dump(const NodeRef& node);

// One line: `ConstInt(value=3, dtype=pl.INDEX)`. What is deep or long is elided with `...`.
std::string repr(const NodeRef& node);

}  // namespace tilewire::ir
