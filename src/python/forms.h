// The names of the language that are neither ops, types, enums nor dtypes: loops, scopes, allocations. They
// have a meaning only in program text; the Python objects carry signature and documentation.
#pragma once

#include <string_view>

namespace tilewire::python {

struct FormText {
  std::string_view module;  // "pl" or "pld"
  std::string_view name;
  std::string_view signature;  // as after `def name`
  std::string_view doc;
  bool in_class_body = false;  // Python runs it there when it makes the class, to no effect
};

inline constexpr FormText all_forms[] = {
    {"pl", "range", "(*bounds, init_values=())",
     "A loop that runs its rounds in order: `for i in pl.range(stop)`, `pl.range(start, stop)` or "
     "`pl.range(start, stop, step)`. With init_values the carried values are explicit: "
     "`for i, (a,) in pl.range(n, init_values=(x,))`."},
    {"pl", "parallel", "(*bounds, init_values=())", "A loop whose rounds do not depend on each other."},
    {"pl", "unroll", "(*bounds, init_values=())", "A loop with constant bounds that is written out."},
    {"pl", "pipeline", "(*bounds, stage=2, init_values=())",
     "A loop whose rounds overlap, `stage` of them at a time."},
    {"pl", "while_", "(*, init_values=(), poll=False)",
     "The explicit form of `while`: `for (a,) in pl.while_(init_values=(x,)):`, with `pl.cond(c)` in the "
     "body. The compiler says with `poll` that the loop polls signal cells."},
    {"pl", "cond", "(condition)", "Inside `pl.while_`: leaves the loop when the condition is false."},
    {"pl", "yield_", "(*values)",
     "Ends a block that gives values: the results of a branch, or the next values of a loop's carries."},
    {"pl", "at", "(*, level=Level.CORE_GROUP, name_hint='', deps=(), ordered=True, optimizations=())",
     "`with pl.at(...) [as tid]:` one kernel task written inline. `deps` names tasks it comes after; "
     "`ordered=False` leaves a communicating task to `deps` and data alone."},
    {"pl", "spmd", "(blocks, *, sync_start=False, name_hint='', deps=(), ordered=True, optimizations=())",
     "`with pl.spmd(N) [as tid]:` or `for b in pl.spmd(N):` N blocks of one kernel. With sync_start no block "
     "starts before all can."},
    {"pl", "split", "(mode)",
     "Asks for a cube/vector split: `optimizations=[pl.split(pl.SplitMode.UP_DOWN)]`."},
    {"pl", "static_assert", "(condition, message='')",
     "Stops the reading of the program when a fact known then is false."},
    {"pld", "alloc_window", "(shape, *, dtype)",
     "A window buffer and a view of all of it: `w = pld.alloc_window([16, 256], dtype=pl.FP32)`. Host only."},
    {"pld", "alloc_signal", "(cells)",
     "A window of INT32 signal cells, [cells, 1], zero at first: `s = pld.alloc_signal(n)`. Host only."},
    {"pld", "comm_group", "(*, devices=(), slots=())",
     "In the body of a program: ranks and the window buffers they share. No devices means all ranks.", true},
};

}  // namespace tilewire::python
