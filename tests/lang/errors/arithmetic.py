# --- division_by_zero
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n // 0
#            ^
# error: TW0327 division by zero: `//`

# --- division_by_zero_folded
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + 4 // 0
#           ^^^^^^
# error: TW1017 invalid constant expression: integer division by zero

# --- division_by_zero_modulo
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n % 0
#           ^
# error: TW0327 division by zero: `%`

# --- floor_division_of_tiles
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.INT32]):
    t = pl.load(x) // 2
#       ^^^^^^^^^^^^^^^
# error: TW1022 unsupported operands for `//`: tiles
# help: write `/`, which truncates on integer tiles: tiles have no floor division

# --- integer_true_division
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n / 2
#       ^^^^^
# error: TW0324 `/` on integers (pl.INDEX)
# help: write `//` to divide and round down, or convert first: pl.cast(n, pl.FP32)

# --- module_as_value
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x) + pl
#       ^^^^^^^^^^^^^^^
# error: TW1020 unsupported operands for `+`: a tile and the module `pl`

# --- negated_string
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = -"a"
#       ^^^^
# error: TW1021 unsupported operand for `-`: a string

# --- negative_power
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n ** -1
#            ^^
# error: TW0329 negative exponent: an integer to the power -1 is not an integer
# help: convert the base first: pl.cast(n, pl.FP32)

# --- negative_shift
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n << -1
#            ^^
# error: TW0328 negative shift count: `<<` by -1
# help: write `>>` with a positive count

# --- not_integers
import tilewire.language as pl


@pl.jit.incore
def kernel(f: pl.Scalar[pl.FP32]):
    v = f << 2
#       ^ `f` is pl.Scalar[pl.FP32]
# error: TW0325 `<<` needs integers, got pl.FP32
# help: convert it: pl.cast(f, pl.INT32)

# --- not_of_tile
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = not pl.load(x)
#       ^^^^^^^^^^^^^^
# error: TW1021 unsupported operand for `not`: a tile
# help: write `~mask` to negate every element of a mask

# --- operator_in
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n in [1, 2]
#       ^^^^^^^^^^^
# error: TW1020 unsupported operands for `in`: a scalar and a list
# help: compare with each: `n == 1 or n == 2`

# --- operator_is
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n is 3
#       ^^^^^^
# error: TW1020 unsupported operands for `is`: a scalar and an int
# help: write `==` or `!=`

# --- operator_on_list
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = [1, 2] - n
#       ^^^^^^^^^^
# error: TW1020 unsupported operands for `-`: a list and a scalar

# --- operator_on_strings
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = "rank" + n
#       ^^^^^^^^^^
# error: TW1020 unsupported operands for `+`: a string and a scalar

# --- power_of_tiles
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x) ** 2
#       ^^^^^^^^^^^^^^^
# error: TW1022 unsupported operands for `**`: tiles
# help: write `t * t` for a square, or pl.exp(pl.log(t) * n) for other powers

# --- scalar_float_formats
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Scalar[pl.FP16], b: pl.Scalar[pl.BF16]):
    v = a + b
#           ^ `b` is pl.Scalar[pl.BF16]
# error: TW0320 type mismatch: `+` mixes pl.FP16 and pl.BF16
# help: convert one of them: pl.cast(b, pl.FP16)

# --- scalar_int_and_float
import tilewire.language as pl


@pl.jit.incore
def kernel(i: pl.Scalar[pl.INDEX], f: pl.Scalar[pl.FP32]):
    v = i + f
#       ^ `i` is pl.Scalar[pl.INDEX]
# error: TW0322 type mismatch: `+` mixes the integer pl.INDEX and the float pl.FP32
# help: convert one of them: pl.cast(i, pl.FP32)

# --- scalar_signs
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Scalar[pl.INT32], b: pl.Scalar[pl.UINT32]):
    v = a + b
#           ^ `b` is pl.Scalar[pl.UINT32]
# error: TW0323 type mismatch: `+` mixes pl.INT32 and pl.UINT32, and neither holds all values of the other
# help: convert one of them: pl.cast(b, pl.INT32)

# --- scalar_type_arguments
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[4]):
#             ^^^^^^^^^^^^
# error: TW1037 `pl.Scalar[...]` takes one dtype
# help: write `pl.Scalar[pl.INT32]`
    v = n

# --- tile_with_tensor
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x) + x
#       ^^^^^^^^^^^^^^
# error: TW1023 unsupported operands for `+`: a tile and a tensor
# help: load the tensor first: `pl.load(x, offsets, shape)`
