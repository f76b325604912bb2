// Annotations: pl.Tensor[[NR, 256], pl.FP32], pl.Out[...], pl.Tile[...].
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// The type an annotation names; nothing after reporting what is wrong with it.
std::optional<TypeValue> annotation(Sema& sema, const Expr& e);
// pl.Tensor[...] and its kin.
Value type_subscript(Sema& sema, const FormValue& form, const Expr& e);
// pl.TensorView(stride=[...], layout=pl.ND)
Value type_call(Sema& sema, const FormValue& form, const Expr& e);

}  // namespace tilewire::frontend
