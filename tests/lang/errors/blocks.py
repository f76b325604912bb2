# --- blocks_on_orchestration
import tilewire.language as pl


@pl.jit
def chip(x: pl.Tensor[[16, 16], pl.FP32]):
    pass


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32]):
    chip(x, device=0, blocks=4)
#                            ^
# error: TW1119 `blocks=` does not apply to `chip`
# help: remove `blocks=`: only kernels run as blocks

# --- blocks_zero
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y, device=0, blocks=0)
#                                 ^
# error: TW1103 the number of blocks must be positive, got 0
# help: write `blocks=1` or more

# --- core_num
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.tensor.barrier(s, core_num=0)
#                                  ^
# error: TW0387 `core_num` of `pld.tensor.barrier` must be positive, got 0

# --- group_call_with_blocks
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)


@pl.function(type=pl.FunctionType.Group)
def pair(x: pl.Tensor[[16, 16], pl.FP32]):
    cube(x, blocks=2)
#                  ^
# error: TW1119 `blocks=` does not apply to `cube`
# help: remove `blocks=`: only kernels run as blocks

# --- spmd_bool_count
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.spmd(True):
#                ^^^^ this is True
# error: TW1049 the number of blocks must be an integer, got a bool
        t = pl.load(x)

# --- spmd_break
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    for b in pl.spmd(4):
#   ^^^^^^^^^^^^^^^^^^^
# error: TW1089 `break` and `continue` are not allowed in a `pl.spmd` loop
# help: guard the work with `if`: all blocks run concurrently
        break

# --- spmd_in_kernel
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    for b in pl.spmd(4):
#            ^^^^^^^^^^
# error: TW1101 `pl.spmd` opens a task in orchestration functions, not in kernel functions
# help: move it into an orchestration function, decorated with `@pl.jit`
        t = pl.load(x)

# --- spmd_keyword_type
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.spmd(4, sync_start=1):
#                              ^
# error: TW1085 `pl.spmd` does not accept an int for `sync_start`
# help: write `sync_start=True` or `sync_start=False`
        t = pl.load(x)

# --- spmd_target
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    for b, c in pl.spmd(4):
#       ^^^^
# error: TW1090 the loop variable must be a name
# help: write `for b in pl.spmd(n):`
        t = pl.load(x)

# --- spmd_without_count
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.spmd():
#        ^^^^^^^^^
# error: TW1026 `pl.spmd` takes the number of blocks
# help: write `pl.spmd(8)`
        t = pl.load(x)

# --- spmd_zero_blocks
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.spmd(0):
#                ^
# error: TW1103 the number of blocks must be positive, got 0
        t = pl.load(x)
