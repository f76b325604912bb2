# --- argument_bool_for_int
import tilewire.language as pl


@pl.jit.incore
def scale(n: pl.Scalar[pl.INT32]):
    v = n


@pl.jit
def main():
    scale(True)
#         ^^^^
# error: TW1027 True does not fit pl.INT32
# help: write 0 or 1, or use pl.BOOL: a bool is not a number

# --- argument_count
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
#   ^^^^^^
# note: `kernel` is defined here
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y, x)
#                ^
# error: TW1111 too many arguments for `kernel`: it takes 2, got 3

# --- argument_dims_differ
import tilewire.language as pl


N = pl.dynamic("N")


@pl.jit.incore
def both(a: pl.Tensor[[N, 16], pl.FP32], b: pl.Tensor[[N, 16], pl.FP32]):
#                                        ^
# note: the parameter is declared here
    t = a


@pl.jit
def main(a: pl.Tensor[[16, 16], pl.FP32], b: pl.Tensor[[32, 16], pl.FP32]):
    both(a, b)
#           ^
# error: TW1114 `b` of `both` needs pl.Tensor[[N, 16], pl.FP32], got pl.Tensor[[32, 16], pl.FP32]

# --- argument_float_for_int
import tilewire.language as pl


@pl.jit.incore
def scale(n: pl.Scalar[pl.INT32]):
#         ^
# note: the parameter is declared here
    v = n


@pl.jit
def main(f: pl.Scalar[pl.FP32]):
    scale(f)
#         ^
# error: TW1114 `n` of `scale` needs pl.Scalar[pl.INT32], got pl.Scalar[pl.FP32]

# --- argument_plain_tensor_for_window
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def send(w: pld.DistributedTensor[[16, 16], pl.FP32]):
#        ^
# note: the parameter is declared here
    t = pl.load(w)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    send(x)
#        ^
# error: TW1114 `w` of `send` needs pld.DistributedTensor[[16, 16], pl.FP32], got pl.Tensor[[16, 16], pl.FP32]
# help: declare `x` as a pld.DistributedTensor here, too, and pass a window from the host function

# --- argument_scalar_for_tensor
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
#          ^
# note: the parameter is declared here
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(3, y)
#          ^
# error: TW1114 `x` of `kernel` needs pl.Tensor[[16, 16], pl.FP32], got pl.Scalar[pl.INDEX]

# --- argument_shape
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
#          ^
# note: the parameter is declared here
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y)
#          ^
# error: TW1114 `x` of `kernel` needs pl.Tensor[[16, 16], pl.FP32], got pl.Tensor[[16, 32], pl.FP32]

# --- argument_string
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel("x", y)
#          ^^^ this is a string
# error: TW1011 a run-time value is needed here, got a string

# --- argument_twice
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y, x=x)
#                ^
# error: TW1112 `kernel` got two values for `x`
# help: leave one of them out

# --- argument_type
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
#          ^
# note: the parameter is declared here
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP16], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y)
#          ^
# error: TW1114 `x` of `kernel` needs pl.Tensor[[16, 16], pl.FP32], got pl.Tensor[[16, 16], pl.FP16]

# --- buffer_argument
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def send(w: pld.DistributedTensor[[16, 16], pl.FP32]):
    t = pl.load(w)


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(1024)
    send(buf, device=0)
#        ^^^
# error: TW1115 `buf` is a window buffer; pass a view of it
# help: make a view first: `w = pld.window(buf, [shape], dtype=...)`

# --- inline_argument_type
import tilewire.language as pl


@pl.jit.inline
def twice(t: pl.Tile[[16, 16], pl.FP32]):
#         ^
# note: the parameter is declared here
    return t + t


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = twice(x)
#       ^^^^^^^^
# error: TW1114 `t` of `twice` needs pl.Tile[[16, 16], pl.FP32], got pl.Tensor[[16, 16], pl.FP32]

# --- inline_keyword
import tilewire.language as pl


@pl.jit.inline
def twice(t):
    return t + t


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = twice(pl.load(x), device=0)
#                                ^
# error: TW1117 `twice` is inlined: it takes no `device`, `blocks` or `deps`
# help: remove the keyword

# --- missing_argument
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
#                                           ^
# note: the parameter is declared here
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    kernel(x)
#   ^^^^^^^^^
# error: TW1113 `kernel` needs a value for `y`

# --- output_argument
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out):
#                                           ^
# note: the parameter is declared here
    t = pl.load(x)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    kernel(x, 3)
#             ^
# error: TW1116 `y` of `kernel` is an output and needs a tensor

# --- argument_plain_tensor_for_window_on_the_host
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def send(w: pl.InOut[pld.DistributedTensor[[NR, 16], pl.FP32]]):
#        ^
# note: the parameter is declared here
    pld.tile.remote_store(pl.load(w, [0, 0], [1, 16]), w, 0, [0, 0])


@pl.jit.host
def main(x: pl.Tensor[[NR, 16], pl.FP32]):
    for r in pl.range(pld.world_size()):
        send(x, device=r)
#            ^
# error: TW1114 `w` of `send` needs pld.DistributedTensor[[NR, 16], pl.FP32], got pl.Tensor[[NR, 16], pl.FP32]
# help: pass a window: `w = pld.alloc_window([NR, 16], dtype=pl.FP32)`
