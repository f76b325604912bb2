# run: tilewire print %s -D HIDDEN=4+
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + HIDDEN
