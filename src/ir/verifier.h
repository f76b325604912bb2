// Whether IR keeps its own rules (nodes.h): what every pass may rely on and must leave behind.
//
// - SSA: each variable is defined once, used only where it is in scope; nothing that a `pl.scope` creates is
//   used after it.
// - Blocks give what their statement needs, of the types it needs; returns fit the signature.
// - Each op stands at a level it works at, has the arguments its type rule accepts and the type it gives;
//   calls other than scalar arithmetic are statements of their own.
// - Functions call what they may, with arguments that fit.
// - Names that leave the program are unique; window buffers are allocated; groups hold buffers once.
//
// The frontend verifies what it has read, the reader of serialised IR what it was given.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::ir {

struct VerifyOptions {
  bool type_rules =
      true;  // run the type rule of every call again: most of the time, and the frontend just did
};

// True when nothing was reported.
bool verify(const Program& program, Diagnostics& diags, const VerifyOptions& options = {});

// The call of a task scope that is one kernel call: views and scalars it needs may stand before it, what
// takes its results apart after it. Null for any other body, which is a kernel written inline.
const FunctionCall* single_call(const Block& body);

// For IR made by the compiler itself: an internal error with a dump when it is wrong.
void verify_or_die(const Program& program, const char* after_what);

}  // namespace tilewire::ir
