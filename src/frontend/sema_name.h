// Names: what a program text may refer to and where each name comes from.
#pragma once

#include "frontend/sema.h"

namespace tilewire::frontend {

// Starts reading the names of a text; close_frame puts the environment back as it was.
void open_frame(Sema& sema, Frame& frame, Scope& scope);
void close_frame(Sema& sema, Frame& frame);
// Gives a name a value, to be undone with undo_to.
void bind(Sema& sema, Symbol name, Value value);
// Takes back what was bound since `mark`.
void undo_to(Sema& sema, size_t mark);
// A name no text can spell, for the flags of loops with break.
Symbol flag_name(Sema& sema);
// Whether a name is one of those.
bool is_flag(const Sema& sema, Symbol name);
// The value of a name.
Value lookup(Sema& sema, const Expr& e);
// A language module or something in one, by its path: "pl", "pl.tile", "pl.load", "pl.jit.incore".
std::optional<Value> named_path(Sema& sema, std::string_view path);
// `name` of a module, if it has one.
std::optional<Value> module_member(const ir::OpTable& ops, std::string_view path, std::string_view name);
// `base.name`.
Value attribute(Sema& sema, const Expr& e);

}  // namespace tilewire::frontend
