"""Collectives called with what they cannot work on."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Collectives:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[1, 256], pl.FP32], w: pl.InOut[pld.DistributedTensor[[4, 64], pl.FP32]],
               b: pl.InOut[pld.DistributedTensor[[4, 64], pl.INT8]],
               o: pl.InOut[pld.DistributedTensor[[3, 64], pl.FP32]],
               s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
               f: pl.InOut[pld.DistributedTensor[[NR, 1], pl.FP32]]):
        x = pld.tensor.allreduce(x, s)
        w = pld.tensor.allreduce(w, f)
        w = pld.tensor.allreduce(w)
        b = pld.tensor.allreduce(b, s)
        w = pld.tensor.allreduce(w, s, op="mean")
        w = pld.tensor.allreduce(w, s, mode="tree")
        w = pld.tensor.broadcast(w, s)
        w = pld.tensor.broadcast(w, s, root=-1)
        o = pld.tensor.allgather(w, o, s)
        w = pld.tensor.all_to_all(w, w, s)
        pld.tensor.barrier(w)
