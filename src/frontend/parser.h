// Text to syntax tree.
//
// `Strict`: all of the text is a Tilewire program; any other Python is reported where it is, with the
// replacement. `Module`: the text is a .py file; imports, constants and the functions and classes
// with a Tilewire decorator (a dotted name with a `pl`-like first part: `pl.program`, `pl.function`,
// `pl.jit`, `pl.jit.host`, ... under whatever name the module was imported) are parsed strictly, every other
// statement is skipped silently.
//
// After an error, parsing continues with the next statement. Nesting deeper than 200 is an error, found
// without recursion beyond it. Never throws on bad input, whatever the bytes.
#pragma once

#include <memory>

#include "frontend/syntax.h"
#include "support/diagnostics.h"

namespace tilewire::frontend {

enum class ParseMode { Strict, Module };
// Whether the tree holds the bodies of functions, or they are skipped and a FunctionBody reads one when it is
// needed, with its errors. `diags` must then live as long as the tree.
enum class Bodies { Read, Skipped };

inline constexpr int max_nesting = 200;

// Never null; after errors, holds what could be read.
std::unique_ptr<SyntaxTree> parse(Ref<const SourceFile> file, ParseMode mode, Diagnostics& diags,
                                  Bodies bodies = Bodies::Read);
// One expression, from `-D NAME=VALUE`. Null root after an error.
std::unique_ptr<SyntaxTree> parse_expression(Ref<const SourceFile> file, Diagnostics& diags,
                                             const Expr** root);

}  // namespace tilewire::frontend
