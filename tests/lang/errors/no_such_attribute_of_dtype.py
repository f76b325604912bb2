import tilewire.language as pl


@pl.jit.incore
def kernel():
    v = pl.FP32.size()
