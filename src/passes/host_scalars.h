// Scalars of a host function, as far as they are known.
//
// A host function computes with constants, dimensions, scalar arguments and the number of ranks. Which of
// these have a value is the caller's to say: none of them when a program is compiled, all of them when it is
// called.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "ir/nodes.h"
#include "ir/pointer_map.h"

namespace tilewire::passes {

bool is_world_size(const ir::Expr& expr);
// The operand behind conversions from one integer type to another.
const ir::ExprRef& without_casts(const ir::ExprRef& expr);

class HostScalars {
 public:
  // The constant that a DimSymbol, a Parameter or a call of world_size stands for; null: not known.
  using Known = std::function<ir::ExprRef(const ir::Expr&)>;

  explicit HostScalars(const ir::Function& host, Known known = {});

  // Everything known put in and folded. A variable that is not known stays, unless it is what world_size()
  // or another variable is called.
  ir::ExprRef fold(const ir::ExprRef& expr) const;
  std::optional<int64_t> integer(const ir::ExprRef& expr) const;
  // The same in one round of loops: with these values for their variables.
  using Given = std::map<const ir::Expr*, int64_t>;
  std::optional<int64_t> integer(const ir::ExprRef& expr, const Given& given) const;
  std::optional<bool> condition(const ir::ExprRef& expr) const;

 private:
  friend class HostScalarWalk;
  Known known_;
  ir::ExprRef fold(const ir::ExprRef& expr, const Given* given) const;
  ir::PointerMap<ir::ExprRef> values_;       // of variables
  ir::PointerMap<ir::ExprRef> definitions_;  // of the others, as far as they are scalar arithmetic
};

}  // namespace tilewire::passes
