// A syntax tree as text, for tests: one line per statement, blocks indented, expressions fully bracketed.
#pragma once

#include <string>

#include "frontend/syntax.h"

namespace tilewire::frontend {

std::string dump(const SyntaxTree& tree);
std::string dump(const SyntaxTree& tree, const Expr* expr);

}  // namespace tilewire::frontend
