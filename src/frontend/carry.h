// Which names are live across the end of a loop, branch or scope and must be carried.
//
// A name assigned inside a loop is carried if an iteration may read the value of an earlier one or of before
// the loop, or if it is read after the loop; a name assigned in a branch or scope if it is read after it.
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

// Analyses functions of one syntax tree. Keeps its tables between functions, so the cost of a tree with many
// functions is linear in its text.
class CarryAnalysis {
 public:
  // `symbol_count`: symbols of the tree so far, which include all names of the body.
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
// The names that Python treats as local: the same, except that `x[...] = v` does not make `x` local.
std::unordered_map<Symbol, FirstAssignment> local_names(std::span<const Stmt* const> body);
// Whether there is a `break` or `continue` of this loop inside, not of a nested loop.
bool leaves_loop(const Stmt& stmt);
bool leaves_loop(std::span<const Stmt* const> body);

}  // namespace tilewire::frontend
