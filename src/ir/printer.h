// IR as program text.
//
// `as_python` of a program gives text that the frontend reads back to a structurally equal program, at every
// stage of the pipeline, and printing what was read back gives the same text again. The text is the class
// style with explicit loops and branches (language reference, "Statements"). Names are hints: two variables
// of one function never share a printed name, parameters and window buffers keep theirs exactly.
#pragma once

#include <string>

#include "ir/nodes.h"

namespace tilewire::ir {

// A program with its imports and dynamic dimensions; of any other node its own lines alone, where variables
// defined elsewhere appear by name.
std::string as_python(const NodeRef& node);

// A short expression for messages: variables by their hint, constants without their dtype, cut when long.
std::string to_string(const ExprRef& expr);

}  // namespace tilewire::ir
