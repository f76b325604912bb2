# --- bad_escape
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    name = "\N{DIGIT ONE}"
#           ^^^^^^^^^^^^^
# error: TW0106 invalid escape sequence `\N{DIGIT ONE}`
# help: write the character itself, `\xhh`, `\uhhhh`, or `\\` for a backslash

# --- bad_escape_hex
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    name = "\xg0"
#           ^^
# error: TW0106 invalid escape sequence `\x`
# help: write the character itself, `\xhh`, `\uhhhh`, or `\\` for a backslash

# --- bad_number
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + 12abc
#           ^^^^^
# error: TW0107 invalid number `12abc`
# help: write numbers as 42, 1_000, 0xff, 1.5 or 1e-3; a name cannot start with a digit

# --- integer_too_large
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + 99999999999999999999
#           ^^^^^^^^^^^^^^^^^^^^
# error: TW1009 the integer does not fit 64 bits

# --- leading_zeros
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + 0123
#           ^^^^
# error: TW0108 `0123` starts with a zero
# help: delete the leading zeros; an octal number starts with `0o`

# --- unterminated_string
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    name = "data
#          ^^^^^ starts here
# error: TW0105 unterminated string
# help: close it on the same line, or use triple quotes
    v = n + 1

# --- unterminated_triple_string
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    name = """data
#          ^^^ starts here, and reaches to the end of the file
# error: TW0105 unterminated string
# help: close it with the same three quotes
    v = n + 1
