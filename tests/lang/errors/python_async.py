import tilewire.language as pl


@pl.jit.incore
async def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
