// Loops: names whose values live across iterations become carried values.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// The keywords and bounds of `pl.range(...)` and its kin.
struct LoopHeader {
  ir::ExprRef start, stop, step;
  ir::ExprList init_values;
  ir::For* counted = nullptr;        // receives Attr fields
  ir::While* conditional = nullptr;  // or this one
};

// `for ... in` over pl.range and its kin, pl.while_ or pl.spmd.
void for_loop(Sema& sema, const Stmt& s);
// `while condition:`.
void while_loop(Sema& sema, const Stmt& s);
// After a broken header: the names of the loop are errors already reported, its body is still read.
void skip_loop(Sema& sema, const Stmt& s);
// `break` and `continue`.
void leave_loop(Sema& sema, const Stmt& s);

}  // namespace tilewire::frontend
