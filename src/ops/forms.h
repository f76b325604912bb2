// The names of the language that are neither ops, enums nor dtypes: decorators, loops, scopes, allocations,
// types. Sema finds them in this table, which also decides where a call is allowed; a row with a signature is
// also what the Python package and its stubs show. Programs may write a parameter by name exactly if its
// signature allows it.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewire::ops {

enum class Form : uint8_t {
  Program,
  Function,
  Jit,
  JitHost,
  JitIncore,
  JitInline,
  Range,
  Parallel,
  Unroll,
  Pipeline,
  While,
  Cond,
  Yield,
  At,
  Spmd,
  ManualScope,
  StorageScope,
  Split,
  Auto,
  Const,
  Dynamic,
  StaticAssert,
  CommGroup,
  AllocWindow,
  AllocSignal,
  TensorViewForm,
  Tensor,
  Tile,
  Scalar,
  Array,
  Tuple,
  TaskId,
  Ptr,
  DistributedTensor,
  CommCtx,
  Out,
  InOut,
  Enum,  // an enumeration itself: `pl.Mem`
};

struct FormRecord {
  Form form;
  std::string_view module;  // "pl" or "pld"
  std::string_view name;
  std::string_view
      place;  // where a call is allowed, for the message about one elsewhere; empty: in an expression
  std::string_view signature;  // as after `def name`; empty: not a function that Python shows
  std::string_view doc;
  bool in_class_body = false;  // Python runs it there when it makes the class, to no effect
};

inline constexpr FormRecord all_forms[] = {
    {Form::Program, "pl", "program", "as a decorator", "", ""},
    {Form::Function, "pl", "function", "as a decorator", "", ""},
    {Form::Jit, "pl", "jit", "as a decorator", "", ""},
    {Form::Range, "pl", "range", "as `for i in pl.range(n):`", "(*bounds, init_values=())",
     "A loop that runs its rounds in order: `for i in pl.range(stop)`, `pl.range(start, stop)` or "
     "`pl.range(start, stop, step)`. With init_values the carried values are explicit: "
     "`for i, (a,) in pl.range(n, init_values=(x,))`."},
    {Form::Parallel, "pl", "parallel", "as `for i in pl.parallel(n):`", "(*bounds, init_values=())",
     "A loop whose rounds do not depend on each other."},
    {Form::Unroll, "pl", "unroll", "as `for i in pl.unroll(n):`", "(*bounds, init_values=())",
     "A loop with constant bounds that is written out."},
    {Form::Pipeline, "pl", "pipeline", "as `for i in pl.pipeline(n, stage=2):`",
     "(*bounds, stage=2, init_values=())", "A loop whose rounds overlap, `stage` of them at a time."},
    {Form::While, "pl", "while_", "as `for (a,) in pl.while_(init_values=(x,)):`",
     "(*, init_values=(), poll=False)",
     "The explicit form of `while`: `for (a,) in pl.while_(init_values=(x,)):`, with `pl.cond(c)` in the "
     "body. The compiler says with `poll` that the loop polls signal cells."},
    {Form::Cond, "pl", "cond", "as a statement of its own in the body of `pl.while_`", "(condition, /)",
     "Inside `pl.while_`: leaves the loop when the condition is false."},
    {Form::Yield, "pl", "yield_", "as the last statement of a loop, branch or scope: `v = pl.yield_(a)`",
     "(*values)",
     "Ends a block that gives values: the results of a branch, or the next values of a loop's carries."},
    {Form::At, "pl", "at", "as `with pl.at(level=pl.Level.CORE_GROUP):`",
     "(*, level=Level.CORE_GROUP, name_hint='', deps=(), ordered=True, optimizations=())",
     "`with pl.at(...) [as tid]:` one kernel task written inline. `deps` names tasks it comes after; "
     "`ordered=False` leaves a communicating task to `deps` and data alone."},
    {Form::Spmd, "pl", "spmd", "as `with pl.spmd(n):` or `for b in pl.spmd(n):`",
     "(blocks, /, *, sync_start=False, name_hint='', deps=(), ordered=True, optimizations=())",
     "`with pl.spmd(N) [as tid]:` or `for b in pl.spmd(N):` N blocks of one kernel. With sync_start no block "
     "starts before all can."},
    {Form::ManualScope, "pl", "manual_scope", "as `with pl.manual_scope():`", "()",
     "`with pl.manual_scope():` lifts data order between two tasks submitted in it: what must come first is "
     "named in `deps`. Tasks outside are ordered with those inside as ever."},
    {Form::StorageScope, "pl", "scope", "as `with pl.scope():`", "()",
     "`with pl.scope():` frees the tensors created in it when the tasks that use them have ended."},
    {Form::Split, "pl", "split", "", "(mode, /)",
     "Asks for a cube/vector split: `optimizations=[pl.split(pl.SplitMode.UP_DOWN)]`."},
    {Form::Auto, "pl", "AUTO", "", "", ""},
    {Form::Const, "pl", "const", "", "", ""},
    {Form::Dynamic, "pl", "dynamic", "", "", ""},
    {Form::StaticAssert, "pl", "static_assert", "as a statement of its own", "(condition, message='')",
     "Stops the reading of the program when a fact known then is false."},
    {Form::TensorViewForm, "pl", "TensorView", "", "", ""},
    {Form::Tensor, "pl", "Tensor", "", "", ""},
    {Form::Tile, "pl", "Tile", "", "", ""},
    {Form::Scalar, "pl", "Scalar", "", "", ""},
    {Form::Array, "pl", "Array", "", "", ""},
    {Form::Tuple, "pl", "Tuple", "", "", ""},
    {Form::TaskId, "pl", "TaskId", "", "", ""},
    {Form::Ptr, "pl", "Ptr", "", "", ""},
    {Form::Out, "pl", "Out", "", "", ""},
    {Form::InOut, "pl", "InOut", "", "", ""},
    {Form::DistributedTensor, "pld", "DistributedTensor", "", "", ""},
    {Form::CommCtx, "pld", "CommCtx", "", "", ""},
    {Form::CommGroup, "pld", "comm_group", "as a statement in the body of a program class",
     "(*, devices=(), slots=())",
     "In the body of a program: ranks and the window buffers they share. No devices means all ranks.", true},
    {Form::AllocWindow, "pld", "alloc_window", "as the right-hand side of a plain `name = ...`",
     "(shape, *, dtype)",
     "A window buffer and a view of all of it: `w = pld.alloc_window([16, 256], dtype=pl.FP32)`. Host only."},
    {Form::AllocSignal, "pld", "alloc_signal", "as the right-hand side of a plain `name = ...`", "(n)",
     "A window of INT32 signal cells, [n, 1], zero at first: `s = pld.alloc_signal(n)`. Host only."},
    {Form::JitHost, "pl.jit", "host", "as a decorator", "", ""},
    {Form::JitIncore, "pl.jit", "incore", "as a decorator", "", ""},
    {Form::JitInline, "pl.jit", "inline", "as a decorator", "", ""},
};

}  // namespace tilewire::ops
