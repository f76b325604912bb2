// Writes what is counted in sub-groups with ranks of the window's group.
#pragma once

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

// A sub-group is three numbers: the first rank of it that this rank is with, how many ranks it has, and the
// distance from one to the next. Where a program divides groups, those numbers go where contexts went
// (through loops, branches, parameters), `pld.rank`, `pld.nranks` and `pld.member_rank` become arithmetic,
// and the peers of ops with `group=` become ranks of the window's group, checked to be in the sub-group.
//
// Needs: no collectives (lower_composite_ops). Ensures: no op has a `group`, and every context is that of a
// window. A program without sub-groups stays as it is.
ir::ProgramRef lower_subgroups(const ir::ProgramRef& program, Diagnostics& diags);

}  // namespace tilewire::passes
