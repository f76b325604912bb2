# --- command_constant_unreadable
# run: tilewire print %s -D HIDDEN=4+
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + HIDDEN
# stderr:
#| error[TW0113]: expected an expression, found the end of the line
#|  --> -D HIDDEN:1:3
#|   |
#| 1 | 4+
#|   |   ^ expected an expression

# --- default_before_required
import tilewire.language as pl


@pl.jit.incore
def kernel(n=1, m: pl.Scalar[pl.INDEX]):
#               ^ has no default
# error: TW0127 the parameter `m` without a default follows one with a default
# help: move it before the parameters with defaults
    v = n + m

# --- expected_colon
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0
#           ^ expected `:`
# error: TW0113 expected `:`, found the end of the line
        v = n

# --- expected_comma
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = max(n 1)
#             ^ expected `,` or `)`
# error: TW0113 expected `,` or `)`, found the number `1`
#          ^
# note: `(` opened here

# --- expected_expression
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n +
#          ^ expected an expression
# error: TW0113 expected an expression, found the end of the line

# --- keyword_as_attribute
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n.in
#         ^^ expected a name
# error: TW0121 `in` is a keyword of Python and cannot be a name
# help: write `in_`

# --- keyword_as_loop_variable
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for in in pl.range(4):
#       ^^ expected an expression
# error: TW0113 expected an expression, found the keyword `in`
        v = n

# --- keyword_as_name
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    pass = n
#        ^ expected the end of the line
# error: TW0113 expected the end of the line, found `=`

# --- keyword_not_a_name
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v = pl.load(x, x.shape=[16, 16])
#                  ^^^^^^^ left of `=`
# error: TW0124 the name of a keyword argument must be a plain name
# help: write `name=value` to pass a keyword argument; to compare, write `==`

# --- misplaced_ellipsis
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = ...
#       ^^^
# error: TW1010 `...` is only allowed in subscripts
# help: write it as a subscript: `y[...] = tile`

# --- positional_after_keyword
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, offsets=[0, 0], [16, 16])
#                                  ^^^^^^^^
# error: TW0123 positional argument after a keyword argument
# help: move it before the keyword arguments, or pass it by name

# --- repeated_keyword
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, shape=[16, 16], shape=[16, 16])
#                                  ^^^^^
# error: TW0125 repeated keyword argument `shape`

# --- repeated_parameter
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], n: pl.Scalar[pl.INDEX]):
#                                  ^
# error: TW0126 duplicate parameter `n`
    v = n

# --- stray_else
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
    else:
#   ^^^^
# error: TW0118 `else` has no matching statement before it
# help: put it in the column of its `if`, right after that block
        v = 1

# --- stray_except
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
    except ValueError:
#   ^^^^^^
# error: TW0118 `except` has no matching statement before it
# help: delete it; there is no `try` in the language
        v = 1

# --- two_ellipses
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v = x[..., 0, ...]
#                 ^^^
# error: TW1010 `...` is only allowed in subscripts
# help: write it as a subscript: `y[...] = tile`
