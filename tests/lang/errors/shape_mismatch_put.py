import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 32], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.tensor.put(w, 0, x)
