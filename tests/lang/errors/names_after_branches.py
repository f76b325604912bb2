# --- assigned_in_loop
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(n):
#   ^^^^^^^^^^^^^^^^^^^^
# note: it is assigned in the block that starts here
        v = i
    w = v
#       ^
# error: TW1002 `v` may be undefined here: it is assigned only inside the loop
# help: give `v` a value before the loop

# --- assigned_in_one_branch
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
#   ^^^^^^^^
# note: it is assigned in the block that starts here
        v = n
    w = v
#       ^
# error: TW1002 `v` may be undefined here: only one branch assigns it
# help: give `v` a value before the `if`, or in both branches

# --- branch_changes_known
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
#   ^^^^^^^^
# note: it is assigned in the block that starts here
        v = "a"
    else:
        v = "b"
    w = v
#       ^
# error: TW1002 `v` is "a" or "b", depending on a branch
# help: assign the same value in both branches: only run-time values can differ

# --- branch_changes_type
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
#   ^^^^^^^^
# note: it is assigned in the block that starts here
        v = n
    else:
        v = 1.0
    w = v
#       ^
# error: TW1002 `v` has different types in the two branches: pl.Scalar[pl.INDEX] and pl.Scalar[pl.FP32]
# help: use two names, or convert with `pl.cast`

# --- scope_result
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note: it is assigned in the block that starts here
        t = pl.load(x)
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.store(t, [0, 0], y)
#                    ^
# error: TW1002 `t` was assigned inside a task scope and is not visible after it
# help: store the value in a tensor inside the scope, and read that tensor after it

# --- scope_scalar
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    v = 0
    with pl.at(level=pl.Level.CORE_GROUP):
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note: it is assigned in the block that starts here
        v = 1
    w = v + 1
#       ^
# error: TW1002 `v` was assigned inside a task scope and is not visible after it
# help: store the value in a tensor inside the scope, and read that tensor after it

# --- used_before_assigned
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = w
#       ^
# error: TW1002 `w` is used before it is assigned
# help: assign `w` before this line: a name that a function assigns is local to all of it
    w = n
#   ^
# note: it is assigned here

# --- used_after_its_loop
import tilewire.language as pl

i = 100


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(n):
#       ^
# note: it is assigned here
        pass
    v = i
#       ^
# error: TW1002 `i` has no value outside its loop
# help: assign it to another name inside the loop

# --- used_before_assigned_global
import tilewire.language as pl

w = 100


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = w
#       ^
# error: TW1002 `w` is used before it is assigned
# help: assign `w` before this line: a name that a function assigns is local to all of it
    w = n
#   ^
# note: it is assigned here

# --- used_where_a_branch_was_dropped
import tilewire.language as pl

FAST = False
scale = 3


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if FAST:
        scale = 2
#       ^^^^^
# note: it is assigned here
    v = n * scale
#           ^^^^^
# error: TW1002 `scale` has no value here
# help: give `scale` a value on every path to this line
