# --- dtypes_elsewhere
import tilewire.language as pl


@pl.jit.incore
def k(a: pl.Tensor[[4], pl.FP64], b: pl.Tensor[[4], pl.float32], c: pl.Tensor[[4], pl.int32], d: pl.Tensor[[4], pl.bool_]):
#                       ^^^^^^^
# error: TW1008 `pl` has no `FP64`
# help: there is no 64-bit float: write `pl.FP32`
#                                                   ^^^^^^^^^^
# error: TW1008 `pl` has no `float32`
# help: write `pl.FP32`
#                                                                                  ^^^^^^^^
# error: TW1008 `pl` has no `int32`
# help: write `pl.INT32`
#                                                                                                               ^^^^^^^^
# error: TW1008 `pl` has no `bool_`
# help: write `pl.BOOL`
    pass

# --- ops_elsewhere
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(w: pl.InOut[pl.DistributedTensor[[4, 1], pl.INT32]]):
#                 ^^^^^^^^^^^^^^^^^^^^
# error: TW1008 `pl` has no `DistributedTensor`
# help: write `pld.DistributedTensor`
    pass


@pl.jit.incore
def h(w: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    pld.notify(w, 0, [0, 0], 1)
#   ^^^^^^^^^^
# error: TW1008 `pld` has no `notify`
# help: write `pld.system.notify`
    me = pld.my_rank()
#        ^^^^^^^^^^^
# error: TW1008 `pld` has no `my_rank`
# help: write `pld.rank(ctx)`, with `ctx = pld.get_comm_ctx(window)`
    b = pl.program_id(0)
#       ^^^^^^^^^^^^^
# error: TW1008 `pl` has no `program_id`
# help: write `pl.tile.get_block_idx()`
    t = pl.zeros([4, 4])
#       ^^^^^^^^
# error: TW1008 `pl` has no `zeros`
# help: write `pl.full(shape, dtype=pl.FP32, value=0.0)`
    pld.fence()
#   ^^^^^^^^^
# error: TW1008 `pld` has no `fence`
# help: leave it out: a notify makes all earlier writes visible to the wait that it satisfies

# --- decorator_elsewhere
import tilewire.language as pl


@pl.jit.kernel
#^^^^^^^^^^^^^
# error: TW1007 `pl.jit` has no attribute `kernel`
# help: write @pl.jit.incore for a kernel, or one of @pl.jit, @pl.jit.host, @pl.jit.inline
def copy(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    copy(x, y)

# --- name_in_another_case
import tilewire.language as pl


@pl.jit
def main(y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    return Y
#          ^
# error: TW1001 `Y` is not defined
# help: did you mean `y`?

# --- member_in_another_case
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(w: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    pld.system.wait(w, [0, 0], 1, cmp=pld.WaitCmp.GE)
#                                     ^^^^^^^^^^^^^^
# error: TW1006 `pld.WaitCmp` has no member `GE`
# help: did you mean `pld.WaitCmp.Ge`?

# --- launch_in_brackets
import tilewire.language as pl


@pl.jit.incore
def copy(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    copy[4](x, y)
#   ^^^^^^^
# error: TW1045 cannot index the function `copy`
# help: to run it as several blocks, call it in a scope: with pl.spmd(4): copy(...)

# --- dimensions_without_brackets
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[16, 64, pl.FP32]):
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1037 `pl.Tensor[...]` takes a shape and a dtype
# help: write `pl.Tensor[[16, 64], pl.FP32]`
    pass

# --- window_keyword
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def main(x: pl.Tensor[[16, 64], pl.FP32]):
    w = pld.alloc_window([16, 64], dtyp=pl.FP32)
#                                  ^^^^
# error: TW1084 `pld.alloc_window` has no keyword `dtyp`
# help: did you mean `dtype`?
    s = pld.alloc_signal(4, cells=2)
#                           ^^^^^
# error: TW1084 `pld.alloc_signal` has no keyword `cells`
# help: its keywords are `load_from_host`, `store_to_host`, `n`

# --- signals_under_pl
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(w: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    pl.notify(w, 0, [0, 0], 1)
#   ^^^^^^^^^
# error: TW1008 `pl` has no `notify`
# help: write `pld.system.notify`
    n = pld.world_size()
#       ^^^^^^^^^^^^^^^^ in the function `k`
# error: TW1014 `pld.world_size` belongs in host functions, not in kernel functions
# help: write pld.nranks(ctx), with ctx = pld.get_comm_ctx(window)

# --- python_functions_with_a_replacement
import tilewire.language as pl


@pl.jit.incore
def k(n: pl.Scalar[pl.INDEX]):
    for i, j in zip(n, n):
#               ^^^
# error: TW1001 `zip` is not defined
# help: `zip` is a Python function and cannot be called here: loop over `pl.range(n)` and use its index
        pass
    v = divmod(n, 4)
#       ^^^^^^
# error: TW1001 `divmod` is not defined
# help: `divmod` is a Python function and cannot be called here: write `a // b` and `a % b`
