import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 16], pl.FP32], w: pld.DistributedTensor[[16, 16], pl.FP32],
           s: pld.DistributedTensor[[2, 1], pl.INT32]):
    w = pld.tensor.allgather(x, w, s)
