# --- attribute_type
import tilewire.language as pl


@pl.function(type=pl.FunctionType.InCore, attrs={"split": "rows"})
#                                               ^^^^^^^^^^^^^^^^^
# error: TW1085 `attrs` does not accept a string for `split`
# help: write `attrs={"split": pl.SplitMode.UP_DOWN}`
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n

# --- effects_text
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore, attrs={"effects": "read"})
    def copy(self, x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
#       ^^^^
# error: TW0449 the effects `read` of `copy` do not describe its 2 parameters
# help: leave `effects` out: the compiler records it
        y = pl.store(pl.load(x), [0, 0], y)

# --- function_keyword_type
import tilewire.language as pl


@pl.function(type="InCore")
#                 ^^^^^^^^
# error: TW1085 `pl.function` does not accept a string for `type`
# help: write `type=pl.FunctionType.InCore`
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n

# --- function_positional
import tilewire.language as pl


@pl.function(pl.FunctionType.InCore)
#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1026 `pl.function` takes keywords only
# help: write `@pl.function(type=pl.FunctionType.InCore)`
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n

# --- function_unknown_keyword
import tilewire.language as pl


@pl.function(kind=pl.FunctionType.InCore)
#            ^^^^
# error: TW1084 `pl.function` has no keyword `kind`
# help: it takes `type=`, `level=`, `role=`, `attrs=` and `optimizations=`
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n

# --- unknown_attribute
import tilewire.language as pl


@pl.function(type=pl.FunctionType.InCore, attrs={"splt": 1})
#                                               ^^^^^^^^^^^
# error: TW1133 `attrs` has no entry `splt`
# help: write `attrs={"split": pl.SplitMode.UP_DOWN}`
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n

# --- unknown_keyword
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y, z=x)
#                ^
# error: TW1084 `kernel` has no keyword `z`
# help: its parameters are `x`, `y`
