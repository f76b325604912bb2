// Which parameters' storage a variable names.
//
// Tensors are references. A variable names the storage of a parameter when it is that parameter, a view of
// it, the result of an op that writes it, the result of a loop, branch or scope that passes it through, or
// the result of a call that returns its argument. A branch may yield one of two, so the answer is a
// set. Separately: which parameter a value always is, unchanged, neither a view of it nor another value.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "ir/pointer_map.h"

namespace tilewire::passes {

// Parameter numbers, ascending. `fresh` is among them when the storage may be the function's own.
using RootSet = std::vector<int>;
inline constexpr int fresh = -1;

// A value that a function returns.
struct Returned {
  RootSet roots;
  int same = -1;  // the parameter that it always is
};
// All of them, by function name.
using ReturnRoots = std::map<std::string, std::vector<Returned>, std::less<>>;

class Roots {
 public:
  // `returns` has an entry for every function that is called.
  Roots(const ir::Function& function, const ReturnRoots& returns);
  // The same for a body whose tensors come from `params`, such as a task scope and what it captures.
  // `untracked`: whether `pl.no_dep(t)` still names the storage of `t`; otherwise it counts as fresh.
  Roots(const std::vector<const ir::Var*>& params, const ir::Block& body, const ReturnRoots& returns,
        bool untracked = true);

  // Of a tensor; of anything else, the empty set.
  const RootSet& of(const ir::ExprRef& expr) const;
  // The one parameter whose storage it surely is; -1 when there is none or more than one.
  int only(const ir::ExprRef& expr) const;
  // The parameter that a value always is, with its whole shape and its strides where it has them; -1: none.
  int same(const ir::ExprRef& expr) const;
  const std::vector<Returned>& of_returns() const { return returned_; }

 private:
  friend class RootWalk;
  // The operand whose storage the result of a call names; null: none, or one that is ignored.
  const ir::Expr* source_of(const ir::Call& call) const;

  const bool untracked_;
  ir::PointerMap<uint32_t> places_;
  std::vector<RootSet> sets_;
  ir::PointerMap<int>
      same_;  // of variables that are a parameter, and of those that loops and branches decide
  std::vector<Returned> returned_;
};

// The functions of a program, callees before their callers. Order among the others is kept.
std::vector<ir::FunctionRef> callees_first(const ir::Program& program);

// Return roots of every function.
ReturnRoots return_roots(const ir::Program& program);

}  // namespace tilewire::passes
