"""Remote accesses that are not possible: plain tensors, half a region, other dtypes and ranks."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Remote:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16, 64], pl.FP32], h: pl.Tensor[[16, 64], pl.FP16], v: pl.Tensor[[64], pl.FP32],
               w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]],
               s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        t = pl.load(x)
        a = pld.tile.remote_load(x, 0, [0, 0], [16, 64])
        b = pld.tile.remote_load(w, 0, [0, 0], [32, 64])
        c = pld.tile.remote_load(w, 0, [0], [16, 64])
        pld.tile.remote_store(t, x, 0, [0, 0])
        pld.tile.remote_store(pl.load(h), w, 0, [0, 0])
        pld.tile.remote_store(t, w, 0, [8, 0])
        pld.tile.remote_store(t, w, 0, [0, 0], atomic="max")
        pld.tensor.put(x, 0, w)
        pld.tensor.put(w, 0, h)
        pld.tensor.put(w, 0, v)
        pld.tensor.put(w, 0, x, [0, 0])
        pld.tensor.put(w, 0, x, [0, 0], [0, 0], [17, 64])
        pld.tensor.put(w, 0, x, signal=s)
        pld.tensor.put(w, 0, x, at=[0, 0])
        pld.tensor.put(w, 0, x, chunk_rows=-1)
        x = pld.tensor.get(x, 0, h)
