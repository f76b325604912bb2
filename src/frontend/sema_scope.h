// `with pl.manual_scope():` and `with pl.scope():`.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

void plain_scope(Sema& sema, const Stmt& s, const Expr& call, Form form);

}  // namespace tilewire::frontend
