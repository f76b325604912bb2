import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.BOOL], x: pl.Tensor[[16, 16], pl.BOOL]):
    w = pld.tensor.put(w, 0, x, atomic=pld.AtomicType.Add)
