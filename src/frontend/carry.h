// Which names a loop, branch or scope must hand on.
//
// A name assigned inside a loop is carried when some round may read the value of an earlier one or of before
// the loop, or when it is read after the loop; a name assigned in a branch or scope when it is read after it.
// Temporaries are not: `t = pl.load(...)` in two loops is two values. Computed once per function by a
// backward walk over the syntax tree.
#pragma once

#include <unordered_map>
#include <vector>

#include "frontend/syntax.h"

namespace tilewire::frontend {

// The carried names of the statements of one function, in the order of their first assignment.
class Carries {
 public:
  const std::vector<Symbol>& of(const Stmt& stmt) const;

 private:
  friend class LivenessWalk;
  std::unordered_map<const Stmt*, std::vector<Symbol>> carried_;
};

// Analyses functions of one syntax tree; keeps its tables between them, so that a tree of many functions
// costs what its text costs.
class CarryAnalysis {
 public:
  // `symbol_count`: of the tree by now, all of the body's names among them.
  Carries analyse(std::span<const Stmt* const> body, size_t symbol_count);

 private:
  friend class LivenessWalk;
  size_t symbol_count_ = 0;
  std::vector<std::vector<bool>> tables_;  // all false between uses
};

// The names a statement list assigns, in order of first assignment, nested statements included.
std::vector<Symbol> assigned_names(std::span<const Stmt* const> body);
struct FirstAssignment {
  Range place;
  bool is_loop_variable = false;
};
// The same names, as Python decides which are local: `x[...] = v` does not make `x` one.
std::unordered_map<Symbol, FirstAssignment> local_names(std::span<const Stmt* const> body);
// Whether a `break` or `continue` of the enclosing loop is inside (not one of a loop further in).
bool leaves_loop(const Stmt& stmt);
bool leaves_loop(std::span<const Stmt* const> body);

}  // namespace tilewire::frontend
