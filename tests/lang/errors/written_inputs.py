# --- writes_input
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
#          ^
# note: the parameter is declared here
    x = pl.store(pl.load(y), [0, 0], x)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1121 `x` is written here, but it is declared as an input
# help: declare it `x: pl.Out[pl.Tensor[[16, 16], pl.FP32]]`, or pl.InOut if it is read too

# --- writes_input_region
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
#          ^
# note: the parameter is declared here
    x[0, 0] = 1.0
#   ^^^^^^^^^^^^^
# error: TW1121 `x` is written here, but it is declared as an input
# help: declare it `x: pl.Out[pl.Tensor[[16, 16], pl.FP32]]`, or pl.InOut if it is read too

# --- writes_input_through_call
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
#        ^
# note: the parameter is declared here
    kernel(y, x)
#   ^^^^^^^^^^^^
# error: TW1121 `x` is written here, but it is declared as an input
# help: declare it `x: pl.Out[pl.Tensor[[16, 16], pl.FP32]]`, or pl.InOut if it is read too
