# --- break_in_parallel
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.parallel(4):
#   ^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1089 `break` and `continue` are not allowed in a `pl.parallel` loop
# help: loop over `pl.range` to use `break` and `continue`
        break

# --- break_outside_loop
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    break
#   ^^^^^
# error: TW1094 `break` outside a loop
# help: put it in a `for` over pl.range or in a `while`, or remove it

# --- continue_in_unroll
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.unroll(4):
#   ^^^^^^^^^^^^^^^^^^^^^
# error: TW1089 `break` and `continue` are not allowed in a `pl.unroll` loop
# help: loop over `pl.range` to use `break` and `continue`
        if n > 0:
            continue

# --- continue_outside_loop
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
        continue
#       ^^^^^^^^
# error: TW1094 `continue` outside a loop
# help: put it in a `for` over pl.range or in a `while`, or remove it

# --- loop_yield_missing
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i, (a,) in pl.range(4, init_values=(n,)):
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1077 `pl.yield_` needs one value per name (names: 1, values: 0)
# help: end the body with a `pl.yield_` of one value per carried name
        b = a

# --- loop_yield_values
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i, (a,) in pl.range(4, init_values=(n,)):
        b, c = pl.yield_(a, a)
#       ^^^^^^^^^^^^^^^^^^^^^^
# error: TW1077 `pl.yield_` needs one value per name (names: 1, values: 2)
# help: end the body with a `pl.yield_` of one value per carried name

# --- return_in_branch_in_loop
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(n):
        if i > 2:
            return i
#           ^^^^^^^^
# error: TW1068 `return` is not allowed in a loop
# help: assign the value to a name and return it after the loop

# --- return_in_loop
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(n):
        return i
#       ^^^^^^^^
# error: TW1068 `return` is not allowed in a loop
# help: assign the value to a name and return it after the loop
