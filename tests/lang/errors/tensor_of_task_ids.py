import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[4], pl.TASK_ID]):
    t = x
