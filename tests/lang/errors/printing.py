# --- print_of_a_tensor
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.print(x, "x")
#            ^ `x` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0306 `pl.print` needs a tile or a scalar for `x`, got a tensor
# help: load the tensor first: pl.load(x, offsets, shape)

# --- print_outside_a_kernel
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], n: pl.Scalar[pl.INDEX]):
    pl.print(n, "n")
#   ^^^^^^^^^^^^^^^^ in the function `main`
# error: TW1014 `pl.print` belongs in kernel functions, not in orchestration functions
# help: move it into a kernel, or into `with pl.at(level=pl.Level.CORE_GROUP):`

# --- print_with_a_run_time_label
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    pl.print(n, n)
#               ^ `n` is pl.Scalar[pl.INDEX]
# error: TW0313 `pl.print` needs a value for `label` that is known when the program is read

# --- print_has_no_value
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = pl.print(n)
#       ^^^^^^^^^^^
# error: TW1062 the call returns no value
# help: write the call as a statement of its own

# --- sum_without_axis
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 1], pl.FP32]]):
    y = pl.store(pl.sum(pl.load(x)), [0, 0], y)
#                ^^^^^^^^^^^^^^^^^^
# error: TW0302 `pl.tile.sum` needs an argument for `axis`
# note: `axis`: the axis that is reduced to 1: -1 or the last for rows, -2 for columns

# --- sum_along_an_axis_that_is_not_there
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 1], pl.FP32]]):
    y = pl.store(pl.sum(pl.load(x), axis=2), [0, 0], y)
#                                        ^
# error: TW0343 `pl.tile.sum` has no axis 2 in 2 dimensions
# help: use an axis from 0 to 1, or -1 for the last

# --- sum_along_the_first_of_three_axes
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[4, 16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.sum(x, axis=0)
#                          ^
# error: TW0306 `pl.tensor.sum` needs one of the last two axes for `axis`, got 0
# help: transpose the tensor first, or reduce slices of two dimensions

# --- max_of_two_tiles
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    t = pl.load(x)
    y = pl.store(pl.max(t, t), [0, 0], y)
#                          ^ `t` is pl.Tile[[16, 16], pl.FP32]
# error: TW0313 `pl.tile.max` needs a value for `axis` that is known when the program is read
