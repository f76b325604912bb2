import tilewire.language as pl


@pl.jit.incore
def kernel(n: "pl.Scalar"):
    v = n
