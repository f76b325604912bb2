import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], w: pld.DistributedTensor[[16, 16], pl.FP32],
           s: pld.DistributedTensor[[4, 1], pl.INT32], a: pl.Tensor[[4], pl.INT64],
           b: pl.Out[pl.Tensor[[4], pl.INT32]]):
    w = pld.tensor.all_to_all_v(x, w, s, a, b)
