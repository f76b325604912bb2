# --- mismatched_bracket
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0), [16, 16])
#                       ^ expected `]`
# error: TW0117 closing `)` does not match opening `[`
#                  ^
# note: `[` opened here

# --- unclosed_bracket
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = max(n, 1
#          ^ opened here
# error: TW0115 `(` was never closed
# help: add `)`
    w = v + 1
#   ^
# note: noticed at `w`

# --- unopened_bracket
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + 1)
#            ^
# error: TW0116 unmatched `)`
# help: delete it
