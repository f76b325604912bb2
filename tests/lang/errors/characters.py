# --- stray_character
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n ? 1 : 2
#         ^
# error: TW0104 unexpected character `?` (U+003F)
# help: write `a if condition else b`

# --- stray_character_curly_quote
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    name = “data”
#          ^
# error: TW0104 unexpected character `“` (U+201C)
# help: write `"`

# --- stray_character_invisible
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n​ + 1
#        ^
# error: TW0104 unexpected character `​` (U+200B)
# help: delete the invisible character
