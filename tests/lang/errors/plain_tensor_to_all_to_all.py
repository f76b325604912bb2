import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
           s: pld.DistributedTensor[[4, 1], pl.INT32]):
    y = pld.tensor.all_to_all(x, y, s)
