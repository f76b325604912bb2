# --- bad_continuation
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + \ 1
#           ^
# error: TW0112 `\` is not the last character of its line
# help: end the line right after `\`, or put the expression in parentheses

# --- expected_block
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
#   ^^
# note: `if` is here
    v = n
#   ^
# error: TW0114 expected an indented block after `if` on line 6
# help: indent the lines that belong to it, or write `pass`

# --- inconsistent_dedent
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
            v = n
        w = n
#       ^ starts here
# error: TW0110 unindent does not match any enclosing block
# help: start the line in the column of the block it belongs to

# --- inconsistent_tabs
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
        v = n
	w = n
# stderr:
#| error[TW0109]: inconsistent use of tabs and spaces: the indentation depends on the tab width
#|  --> inconsistent_tabs.py:8:2
#|   |
#| 8 |  w = n
#|   |  ^ indented with another mix
#|   = help: indent with spaces only

# --- unexpected_indent
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
        w = n + 1
#       ^ indented more than the line before
# error: TW0111 unexpected indentation
# help: start the line in the column of its block
