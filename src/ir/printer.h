// IR as program text.
//
// `as_python` of a program returns text that the frontend reads as a structurally equal program, at every
// stage of the pipeline, and printing the result produces the same text again. The text is the class
// style with explicit loops and branches (language reference, "Statements"). Names are hints: two variables
// of one function never share a printed name, parameters and window buffers keep theirs exactly.
#pragma once

#include <string>

#include "ir/nodes.h"

namespace tilewire::ir {

// A program with its imports and dynamic dimensions; for any other node only its own lines, where variables
// defined elsewhere appear by name.
std::string as_python(const NodeRef& node);

// A short expression for messages: variables by their hint, constants without their dtype, cut when long.
std::string to_string(const ExprRef& expr);

}  // namespace tilewire::ir
