// Known scalars of a host function.
//
// A host function computes with constants, dimensions, scalar arguments and the number of ranks. Which of
// these have a value depends on the caller: none of them when a program is compiled, all of them when it is
// called.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "ir/nodes.h"
#include "ir/pointer_map.h"

namespace tilewire::passes {

bool is_world_size(const ir::Expr& expr);
// The operand below conversions from one integer type to another.
const ir::ExprRef& without_casts(const ir::ExprRef& expr);

class HostScalars {
 public:
  // The constant value of a DimSymbol, a Parameter or a call of world_size; null: not known.
  using Known = std::function<ir::ExprRef(const ir::Expr&)>;

  explicit HostScalars(const ir::Function& host, Known known = {});

  // Substitutes and folds everything known. An unknown variable stays, unless it is another name for
  // world_size() or another variable.
  ir::ExprRef fold(const ir::ExprRef& expr) const;
  std::optional<int64_t> integer(const ir::ExprRef& expr) const;
  // The same in one iteration of the loops: with these values for their variables.
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
