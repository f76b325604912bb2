# --- builtin_arguments
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = len(n)
#       ^^^^^^ the argument is a scalar
# error: TW1016 `len` does not accept these arguments
# help: write `x.shape[0]` for the number of rows

# --- builtin_int_of_scalar
import tilewire.language as pl


@pl.jit.incore
def kernel(f: pl.Scalar[pl.FP32]):
    v = int(f)
#       ^^^^^^ the argument is a scalar
# error: TW1016 `int` does not accept these arguments
# help: convert a run-time scalar with `pl.cast(x, dtype)`

# --- builtin_keyword
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = max(n, 1, key=2)
#       ^^^^^^^^^^^^^^^^
# error: TW1016 `max` does not accept these arguments

# --- const_arguments
import tilewire.language as pl


@pl.jit.incore
def kernel():
    v = pl.const(1)
#       ^^^^^^^^^^^
# error: TW1026 `pl.const` takes a value and a dtype
# help: write `pl.const(1, pl.INT32)`

# --- const_of_bool
import tilewire.language as pl


@pl.jit.incore
def kernel():
    v = pl.const(True, pl.INT32)
#       ^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1027 True does not fit pl.INT32
# help: write 0 or 1, or use pl.BOOL: a bool is not a number

# --- const_of_float
import tilewire.language as pl


@pl.jit.incore
def kernel():
    v = pl.const(1.5, pl.INT32)
#       ^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1027 1.5 does not fit pl.INT32
# help: round it first: `int(...)`

# --- const_of_string
import tilewire.language as pl


@pl.jit.incore
def kernel():
    v = pl.const("1", pl.INT32)
#       ^^^^^^^^^^^^^^^^^^^^^^^ got a string and a dtype
# error: TW1026 `pl.const` takes a value and a dtype
# help: write `pl.const(1, pl.INT32)`

# --- const_out_of_range
import tilewire.language as pl


@pl.jit.incore
def kernel():
    v = pl.const(300, pl.INT8)
#       ^^^^^^^^^^^^^^^^^^^^^^
# error: TW1027 300 does not fit pl.INT8
# help: write a value that the dtype can hold, or use a wider dtype

# --- dynamic_empty_name
import tilewire.language as pl


NR = pl.dynamic("")
#    ^^^^^^^^^^^^^^
# error: TW1026 `pl.dynamic` takes one non-empty string
# help: write `NR = pl.dynamic("NR")`


@pl.jit.incore
def kernel(x: pl.Tensor[[NR, 16], pl.FP32]):
    t = x

# --- dynamic_name_not_a_string
import tilewire.language as pl


NR = pl.dynamic(4)
#    ^^^^^^^^^^^^^
# error: TW1026 `pl.dynamic` takes one non-empty string
# help: write `NR = pl.dynamic("NR")`


@pl.jit.incore
def kernel(x: pl.Tensor[[NR, 16], pl.FP32]):
    t = x

# --- split_arguments
import tilewire.language as pl


@pl.function(type=pl.FunctionType.InCore, optimizations=[pl.split(1)])
#                                                        ^^^^^^^^^^^
# error: TW1026 `pl.split` takes one pl.SplitMode
# help: write `pl.split(pl.SplitMode.UP_DOWN)`
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)

# --- tensor_view_arguments
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32, pl.TensorView([16, 1])]):
#                                          ^^^^^^^^^^^^^^^^^^^^^^
# error: TW1026 `pl.TensorView` takes stride= and layout=
# help: write `pl.TensorView(stride=[256, 1], layout=pl.ND)`
    t = pl.load(x)
