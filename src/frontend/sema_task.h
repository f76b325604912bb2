// Tasks written inline: `with pl.at(...)`, `with pl.spmd(...)`, `for b in pl.spmd(...)`.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

struct LoopHeader;

// `with pl.at(...)` and `with pl.spmd(...)`.
void with_statement(Sema& sema, const Stmt& s);
// pl.spmd as a `with` or a `for`; `block_name`: the loop variable, or null.
void spmd_scope(Sema& sema, const Stmt& s, const Expr& call, const Expr* block_name);
// Sets the field of a loop that a keyword names; false if there is none.
bool set_attribute(Sema& sema, LoopHeader& header, std::string_view name, const Value& value,
                   const Keyword& keyword, const std::string& form);
// optimizations=[pl.split(pl.SplitMode.UP_DOWN)]
bool split_of(Sema& sema, const Value& value, const Expr& e, ir::SplitMode& out);
// The elements of `deps=[...]`; false after reporting others than task ids.
bool task_ids(Sema& sema, const Expr& e, ir::ExprList& out);

}  // namespace tilewire::frontend
