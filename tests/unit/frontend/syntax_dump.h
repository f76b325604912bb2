// Syntax trees as text, for tests: one line per statement, blocks indented, expressions fully bracketed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/parser.h"

namespace tilewire::frontend {

std::string dump(SyntaxTree& tree);
std::string dump(SyntaxTree& tree, const Expr* expr);

struct Parsed {
  std::unique_ptr<SyntaxTree> tree;
  Diagnostics diags;

  std::string text() const { return dump(*tree); }
  // `line:column name` for each diagnostic.
  std::vector<std::string> errors() const;
};

Parsed parsed(std::string text, ParseMode mode = ParseMode::Strict, uint32_t first_line = 1);
// The dump of one expression, or its rendered errors.
std::string expression(std::string text);

// "((((" and the like.
std::string repeated(std::string_view piece, size_t count);

}  // namespace tilewire::frontend
