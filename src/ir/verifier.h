// Whether IR obeys its own rules (nodes.h): what every pass may rely on and must preserve.
//
// - SSA: each variable is defined once, used only where it is in scope; nothing that a `pl.scope` creates is
//   used after it.
// - Blocks yield what their statement needs, of the right types; returns fit the signature.
// - Each op is used at a level it works at, with arguments that its type rule accepts and the resulting type;
//   calls other than scalar arithmetic are statements of their own.
// - Functions call what they may, with arguments that fit.
// - Names that leave the program are unique; window buffers are allocated; groups hold buffers once.
//
// The frontend verifies the programs that it has read, the reader of serialised IR its input.
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

// The kernel call of a task scope that consists of one: preceded only by views and scalars that it needs,
// followed only by what takes its results apart. Null for any other body, which is a kernel written inline.
const FunctionCall* single_call(const Block& body);

// For IR made by the compiler itself: an internal error with a dump when it is wrong.
void verify_or_die(const Program& program, const char* after_what);

}  // namespace tilewire::ir
