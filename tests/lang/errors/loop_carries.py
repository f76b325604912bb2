# --- carried_known
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    name = n
    for i in pl.range(4):
#   ^^^^^^^^^^^^^^^^^^^^
# error: TW1092 `name` changes in the loop but is a string, known only when the program is read
# help: assign it to another name: only run-time values, such as numbers and tiles, can change in a loop
        name = "b"
    return name

# --- carried_string
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    name = "a"
    for i in pl.range(n):
        name = "b"
    return name
#   ^^^^^^^^^^^ this is a string
# error: TW1011 a run-time value is needed here, got a string

# --- carry_changes_dtype
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], f: pl.Scalar[pl.FP32]):
#                                  ^
# note: its value at the end of an iteration is made here
    total = n
    for i in pl.range(4):
#   ^^^^^^^^^^^^^^^^^^^^
# error: TW1091 type mismatch: `total` is pl.Scalar[pl.INDEX] before the loop and pl.Scalar[pl.FP32] after an iteration
# help: make both the same type with `pl.cast` or `pl.const(value, dtype)`, or use another name in the loop
        total = f
    return total

# --- carry_changes_type
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    total = 0.0
    for i in pl.range(4):
#   ^^^^^^^^^^^^^^^^^^^^
# error: TW1091 type mismatch: `total` is pl.Scalar[pl.FP32] before the loop and pl.Tile[[16, 16], pl.FP32] after an iteration
# help: start from a tile: `total = pl.full([16, 16], dtype=pl.FP32, value=0)`
        total = pl.load(x)
#       ^^^^^^^^^^^^^^^^^^
# note: its value at the end of an iteration is made here
    return total

# --- init_values
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i, (a,) in pl.range(4, init_values=n):
#                                          ^
# error: TW1083 `init_values` takes a tuple, got a scalar
# help: write `init_values=(x, y)`
        b = pl.yield_(a)

# --- loop_carries
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i, (a,) in pl.range(4, init_values=(n, n)):
#       ^^^^^^^
# error: TW1088 the loop needs one name per initial value (names: 1, values: 2)
# help: write `for i, (a, b) in pl.range(n, init_values=(x, y)):`
        b = pl.yield_(a)
