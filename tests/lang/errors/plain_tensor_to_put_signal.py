import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32],
           s: pl.Tensor[[4, 1], pl.INT32]):
    w = pld.tensor.put(w, 0, x, signal=s, at=[0, 0])
