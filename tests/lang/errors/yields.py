# --- yield_branches
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
        v = pl.yield_(n)
#       ^^^^^^^^^^^^^^^^
# error: TW1078 the branches do not yield the same names
# help: end both branches with a `pl.yield_` of the same names
    else:
        w = pl.yield_(n)

# --- yield_in_expression
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = 1 + pl.yield_(n)
#           ^^^^^^^^^^^^
# error: TW1025 `pl.yield_` is not allowed here
# help: write it as the last statement of a loop, branch or scope: `v = pl.yield_(a)`

# --- yield_keyword
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
        v = pl.yield_(n, w=n)
#                        ^
# error: TW1026 `pl.yield_` takes values without names
# help: write `a, b = pl.yield_(x, y)`
    else:
        v = pl.yield_(n)

# --- yield_not_last
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
        v = pl.yield_(n)
#           ^^^^^^^^^^^^
# error: TW1025 `pl.yield_` is not allowed here
# help: write it as the last statement of a loop, branch or scope: `v = pl.yield_(a)`
        w = v
    else:
        v = pl.yield_(n)

# --- yield_targets
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[16], pl.FP32]]):
    if n > 0:
        y[0] = pl.yield_(1.0)
#       ^^^^
# error: TW1076 `pl.yield_` is assigned to names only
# help: yield to a name, and assign that name after the branch
    else:
        y[0] = pl.yield_(2.0)
#       ^^^^
# error: TW1076 `pl.yield_` is assigned to names only
# help: yield to a name, and assign that name after the branch

# --- yield_values
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
        a, b = pl.yield_(n)
#              ^^^^^^^^^^^^
# error: TW1077 `pl.yield_` needs one value per name (names: 2, values: 1)
# help: write `a, b = pl.yield_(x, y)`
    else:
        a, b = pl.yield_(n)
#              ^^^^^^^^^^^^
# error: TW1077 `pl.yield_` needs one value per name (names: 2, values: 1)
# help: write `a, b = pl.yield_(x, y)`

# --- yield_without_else
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
        v = pl.yield_(n)
#       ^^^^^^^^^^^^^^^^
# error: TW1078 the branches do not yield the same names
# help: end both branches with a `pl.yield_` of the same names
