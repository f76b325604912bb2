# --- caret_over_lines
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0],
#                  ^^^^^^ offset 0, extent 32
# error: TW0336 out of bounds: `pl.tile.load` reaches element 31 of dimension 0, which has 16
                [32,
                 16])

# --- long_line
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + missing + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1
# stderr:
#| error[TW1001]: `missing` is not defined
#|  --> long_line.py:6:253
#|   |
#| 6 | ...1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + missing + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 ...
#|   |                                                                                    ^^^^^^^
#|   = help: define it at the top of the file, or give it on the command line: -D missing=VALUE

# --- tab_before_caret
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = [1,	2,	missing]
# stderr:
#| error[TW1001]: `missing` is not defined
#|  --> tab_before_caret.py:6:16
#|   |
#| 6 |     v = [1, 2, missing]
#|   |                ^^^^^^^
#|   = help: define it at the top of the file, or give it on the command line: -D missing=VALUE

# --- wide_characters
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    größe = n + "äöü" + fehlt
#           ^^^^^^^^^
# error: TW1020 unsupported operands for `+`: a scalar and a string
#                       ^^^^^
# error: TW1001 `fehlt` is not defined
# help: define it at the top of the file, or give it on the command line: -D fehlt=VALUE
