# --- cond_outside_while
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    pl.cond(n > 0)
#   ^^^^^^^^^^^^^^
# error: TW1025 `pl.cond` is not allowed here
# help: write it as a statement of its own in the body of `pl.while_`

# --- loop_over_call
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in enumerate(n):
#            ^^^^^^^^^
# error: TW1001 `enumerate` is not defined
# help: `enumerate` is a Python function and cannot be called here: loop over `pl.range(n)` and use its index
        v = i

# --- loop_over_list
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in [1, 2]:
#            ^^^^^^
# error: TW1080 cannot loop over a list
# help: write `for i in pl.range(n):`, or loop over pl.parallel, pl.unroll, pl.pipeline or pl.spmd
        v = n + i

# --- loop_over_scalar
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in n:
#            ^
# error: TW1080 cannot loop over a scalar
# help: write `for i in pl.range(n):`, or loop over pl.parallel, pl.unroll, pl.pipeline or pl.spmd
        v = i

# --- loop_over_tensor
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    for row in x:
#              ^
# error: TW1080 cannot loop over a tensor
# help: write `for i in pl.range(n):`, or loop over pl.parallel, pl.unroll, pl.pipeline or pl.spmd
        v = row

# --- loop_target
import tilewire.language as pl


@pl.jit.incore
def kernel(y: pl.Out[pl.Tensor[[16], pl.FP32]]):
    for y[0] in pl.range(4):
#       ^^^^
# error: TW1090 the loop variable must be a name
# help: write `for i in pl.range(n):` or `for i, (a, b) in pl.range(n, init_values=(x, y)):`
        v = 1

# --- loop_target_tuple
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i, j in pl.range(4):
#       ^^^^
# error: TW1090 the loop variable must be a name
# help: write `for i in pl.range(n):` or `for i, (a, b) in pl.range(n, init_values=(x, y)):`
        v = i

# --- while_positional
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for (a,) in pl.while_(n):
#               ^^^^^^^^^^^^
# error: TW1026 `pl.while_` takes init_values= only
# help: write `pl.while_(init_values=(x,))`, and the condition as `pl.cond(c)` in the body
        pl.cond(a > 0)
        b = pl.yield_(a)

# --- while_without_cond
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for (a,) in pl.while_(init_values=(n,)):
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1093 the body of `pl.while_` has no `pl.cond`
# help: write `pl.cond(c)` in the body, before what the condition guards
        b = pl.yield_(a)
