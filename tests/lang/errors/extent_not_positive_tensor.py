import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.create_tensor([16, -1], dtype=pl.FP32)
