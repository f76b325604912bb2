import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    match n:
        case 0:
            v = 1
