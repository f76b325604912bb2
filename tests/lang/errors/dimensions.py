# --- dimension_bool
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[True, 16], pl.FP32]):
#                        ^^^^ this is a bool
# error: TW1035 a dimension must be an integer, got a bool
# help: write an int, a `pl.dynamic` symbol or an integer expression
    t = x

# --- dimension_float
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16.0, 16], pl.FP32]):
#                        ^^^^ this is a float
# error: TW1035 a dimension must be an integer, got a float
# help: write an int, a `pl.dynamic` symbol or an integer expression
    t = x

# --- dimension_negative
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[-1, 16], pl.FP32]):
#                        ^^
# error: TW1036 a dimension must be zero or more, got -1
# help: for a size known only at run time, write a symbol: `NR = pl.dynamic("NR")`
    t = x

# --- dimension_string
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[["rows", 16], pl.FP32]):
#                        ^^^^^^ this is a string
# error: TW1035 a dimension must be an integer, got a string
# help: write an int, a `pl.dynamic` symbol or an integer expression
    t = x

# --- shape_not_a_list
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[16, pl.FP32]):
#                       ^^
# error: TW1033 a shape is a list of dimensions, got an int
# help: write the dimensions in brackets: `[16, 256]`
    t = x

# --- stride_count
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32, pl.TensorView(stride=[1])]):
#                                          ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1042 the view needs 2 strides, got 1
# help: give one stride per dimension, in elements
    t = x
