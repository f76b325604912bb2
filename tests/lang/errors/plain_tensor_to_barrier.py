import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 1], pl.INT32]):
    pld.tensor.barrier(x)
