# --- python_int_as_type
import tilewire.language as pl


@pl.jit.incore
def kernel(n: int):
#             ^^^
# error: TW1032 a type is needed here, got a function
# help: write `pl.Scalar[pl.INT32]`
    v = n

# --- python_isinstance
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = isinstance(n, int)
#       ^^^^^^^^^^
# error: TW1001 `isinstance` is not defined
# help: `isinstance` is a Python function and cannot be called here

# --- python_list_append
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = [1, 2]
    v.append(n)
#   ^^^^^^^^
# error: TW1007 a list has no attribute `append`
# help: build a new one with `+`: lists, tuples and dicts cannot change

# --- python_method_call
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)
    u = t.sum()
#       ^^^^^
# error: TW1007 a tile has no attribute `sum`
# help: ops are functions: write `pl.sum(...)`

# --- python_print
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    print(n)
#   ^^^^^
# error: TW1001 `print` is not defined
# help: `print` is a Python function and cannot be called here: write `pl.print`

# --- python_values
import tilewire.language as pl

M, N = (pl.dynamic(s) for s in "MN")
#<^
# note 1: assigned here, from an expression that only Python can compute
#  ^
# note 2: assigned here, from an expression that only Python can compute
WIDTH = [8 for _ in range(1)][0]


@pl.jit.incore
def k(x: pl.Tensor[[M, 8], pl.FP32], y: pl.Out[pl.Tensor[[M, N], pl.FP32]]):
#                   ^
# error 1: TW1001 `M` is not defined
# help: assign a value that needs no Python, such as `M = pl.dynamic("M")`, give one on the command line: -D M=VALUE, or let Python read the file: --python FILE:NAME
#                                                            ^
# error 2: TW1001 `N` is not defined
# help: assign a value that needs no Python, such as `N = pl.dynamic("N")`, give one on the command line: -D N=VALUE, or let Python read the file: --python FILE:NAME
    y[0:4, 0:WIDTH] = pl.load(x, [0, 0], [4, 8])
