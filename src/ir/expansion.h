// Expressing an op by other ops: what the `expansion` in its record receives.
//
//     .expands([](Expansion& e) {  // silu
//       ExprRef x = e.arg("x");
//       return e.op(pl::tile::mul, {x, e.op(pl::tile::sigmoid, {x})});
//     })
//
// Floats are computed in FP32: operands of smaller dtypes arrive converted, and the value returned is rounded
// once to the dtype of the result. One expansion serves an op on tiles and the op of the same name on
// tensors.
#pragma once

#include <functional>

#include "ir/op.h"

namespace tilewire::ir {

class Expansion {
 public:
  using Emit = std::function<ExprRef(const Op&, ExprList, AttrList)>;

  // `operands`: those of the call, floats in FP32. `emit` makes a call and names its value.
  Expansion(const Call& call, ExprList operands, Emit emit);

  const Call& call;

  // An operand by parameter name; null if it was omitted.
  const ExprRef& arg(std::string_view name) const;
  // The value of an attribute or of its default; null when it has neither.
  const AttrValue* attr(std::string_view name) const;
  // The dtype in which elements of the first tile or tensor are computed.
  DType dtype() const;

  // A call of an op on tiles, or of its counterpart on tensors if this call is on tensors.
  ExprRef op(const Op& tile_op, ExprList args, AttrList attrs = {});
  // A constant of dtype(). Infinities have no literal.
  ExprRef number(double value) const;

 private:
  ExprList operands_;
  Emit emit_;
};

}  // namespace tilewire::ir
