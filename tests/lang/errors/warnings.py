# --- never_called
import tilewire.language as pl


@pl.jit.incore
def unused(x):
#          ^
# warning: TW1135 `unused` was not checked: nothing calls it and its parameter `x` has no type
# help: annotate it, `x: pl.Tensor[[16, 256], pl.FP32]`, or give its type: --shape x=16x256:FP32
    t = pl.load(x)


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
# stdout:
#| import tilewire.language as pl
#|
#|
#| @pl.program
#| class unused:
#|     @pl.function(type=pl.FunctionType.InCore)
#|     def kernel(self, n: pl.Scalar[pl.INDEX]):
#|         pass

# --- rebinds_output
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.add(pl.load(x), 1.0)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# warning: TW1063 `y = ...` only rebinds the name: nothing is written to the output
# help: write into it: `y = pl.store(tile, offsets, y)` or `y[...] = value`
# stdout:
#| import tilewire.language as pl
#|
#|
#| @pl.program
#| class kernel:
#|     @pl.function(type=pl.FunctionType.InCore)
#|     def kernel(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
#|         t = pl.tile.load(x, [0, 0], [16, 16])
#|         y_1 = pl.tile.add(t, 1.0)

# --- unreachable
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[4], pl.INT64]]):
    return n
    v = n + 1
#   ^^^^^^^^^
# warning: TW1058 unreachable code
# help: remove it, or the `return` before it
# stdout:
#| import tilewire.language as pl
#|
#|
#| @pl.program
#| class kernel:
#|     @pl.function(type=pl.FunctionType.InCore)
#|     def kernel(self, n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[4], pl.INT64]]) -> pl.Scalar[pl.INDEX]:
#|         return n

# --- unused_tile
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)
    pl.exp(t)
#   ^^^^^^^^^
# warning: TW1059 the value is not used
# help: assign the result to a name, or remove the line
# stdout:
#| import tilewire.language as pl
#|
#|
#| @pl.program
#| class kernel:
#|     @pl.function(type=pl.FunctionType.InCore)
#|     def kernel(self, x: pl.Tensor[[16, 16], pl.FP32]):
#|         t = pl.tile.load(x, [0, 0], [16, 16])

# --- unused_value
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    n + 1
#   ^^^^^
# warning: TW1059 the value is not used
# help: assign the result to a name, or remove the line
# stdout:
#| import tilewire.language as pl
#|
#|
#| @pl.program
#| class kernel:
#|     @pl.function(type=pl.FunctionType.InCore)
#|     def kernel(self, n: pl.Scalar[pl.INDEX]):
#|         pass
