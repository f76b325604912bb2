# --- device_bool
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y, device=True)
#                       ^^^^ this is True
# error: TW1049 a device must be an integer, got a bool

# --- device_float
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y, device=0.0)
#                       ^^^ this is 0.0
# error: TW1049 a device must be an integer, got a float

# --- device_kind
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    n = pld.world_size()
    kernel(x, y, device=n - 1)
#                       ^^^^^
# error: TW1110 `device=` takes a constant, or an expression with the variable of a `pl.range` around the call
# help: write `device=r` with `for r in pl.range(pld.world_size()):` around it

# --- device_negative
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y, device=-1)
#                       ^^
# error: TW1109 a device must not be negative, got -1
# help: write a rank from 0 on, such as `device=0`

# --- device_of_parallel_loop
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    for r in pl.parallel(pld.world_size()):
        kernel(x, y, device=r)
#                           ^
# error: TW1110 `device=` takes a constant, or an expression with the variable of a `pl.range` around the call
# help: write `device=r` with `for r in pl.range(pld.world_size()):` around it

# --- device_outside_host
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y, device=0)
#                       ^
# error: TW1108 `device=` belongs to calls of host functions, not of an orchestration function
# help: remove `device=`: the function runs on the rank it was dispatched to
