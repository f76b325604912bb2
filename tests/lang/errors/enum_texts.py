# --- atomic_text_unknown
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y, atomic="max")
#                                              ^^^^^
# error: TW0314 "max" is not a value of `atomic` in `pl.tile.store`
# help: write one of "none", "add"

# --- cmp_text_unknown
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.wait(s, [0, 0], 1, cmp="gte")
#                                     ^^^^^
# error: TW0314 "gte" is not a value of `cmp` in `pld.system.wait`
# help: write "ge"

# --- cmp_text_unknown_in_comm_test
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    v = pl.tile.comm_test(s[0:1, 0:1], 1, cmp="")
#                                             ^^
# error: TW0314 "" is not a value of `cmp` in `pl.tile.comm_test`
# help: write one of "eq", "ge", "ne", "gt", "lt", "le"

# --- cmp_text_unknown_in_comm_wait
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    v = pl.tile.comm_wait(s[0:1, 0:1], 1, cmp="greater")
#                                             ^^^^^^^^^
# error: TW0314 "greater" is not a value of `cmp` in `pl.tile.comm_wait`
# help: write one of "eq", "ge", "ne", "gt", "lt", "le"

# --- cmp_text_unknown_in_test
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    v = pld.system.test(s, [0, 0], 1, cmp=">=")
#                                         ^^^^
# error: TW0314 ">=" is not a value of `cmp` in `pld.system.test`
# help: write "ge"

# --- cmp_text_unknown_in_tile_cmp
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)
    m = pl.cmp(t, t, "equal")
#                    ^^^^^^^
# error: TW0314 "equal" is not a value of `op` in `pl.tile.cmp`
# help: write one of "eq", "ne", "lt", "le", "gt", "ge"

# --- mode_text_unknown_in_allreduce
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.allreduce(w, s, mode="tree")
#                                       ^^^^^^
# error: TW0314 "tree" is not a value of `mode` in `pld.tensor.allreduce`
# help: write one of "auto", "mesh", "two_shot", "ring"

# --- mode_text_unknown_in_cast
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.cast(pl.load(x), pl.INT32, mode="up")
#                                          ^^^^
# error: TW0314 "up" is not a value of `mode` in `pl.tile.cast`
# help: write one of "rint", "round", "floor", "ceil", "trunc", "odd"

# --- op_text_unknown_in_allreduce
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.allreduce(w, s, op="mean")
#                                     ^^^^^^
# error: TW0314 "mean" is not a value of `op` in `pld.tensor.allreduce`
# help: write one of "sum", "max", "min", "prod"

# --- op_text_unknown_in_comm_notify
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pl.tile.comm_notify(pld.peer_slot(s, 0, [0, 0]), 1, op="sub")
#                                                          ^^^^^
# error: TW0314 "sub" is not a value of `op` in `pl.tile.comm_notify`
# help: write one of "add", "set"

# --- op_text_unknown_in_notify
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.notify(s, 0, [0, 0], 1, op="inc")
#                                         ^^^^^
# error: TW0314 "inc" is not a value of `op` in `pld.system.notify`
# help: write one of "add", "set"

# --- split_number_unknown
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.tpush_to_aiv(pl.load(x), split=3)
#                                     ^
# error: TW0314 3 is not a value of `split` in `pl.tpush_to_aiv`
# help: write 0 (none), 1 (up-down), 2 (left-right) or a pl.SplitMode

# --- split_text_unknown
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.tpush_to_aiv(pl.load(x), split="diagonal")
#                                     ^^^^^^^^^^
# error: TW0314 "diagonal" is not a value of `split` in `pl.tpush_to_aiv`
# help: write one of "none", "up_down", "left_right"

# --- wrong_enum_for_op
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.notify(s, 0, [0, 0], 1, op=pld.WaitCmp.Ge)
#                                         ^^^^^^^^^^^^^^
# error: TW0315 `pld.system.notify` takes a `pld.NotifyOp` for `op`, got `pld.WaitCmp.Ge`
# help: write one of "add", "set"

# --- wrong_enum_for_reduce
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.allreduce(w, s, op=pld.AtomicType.Add)
#                                     ^^^^^^^^^^^^^^^^^^
# error: TW0315 `pld.tensor.allreduce` takes a `pld.ReduceOp` for `op`, got `pld.AtomicType.Add`
# help: write one of "sum", "max", "min", "prod"
