"""Signals of the wrong dtype, slots of the wrong size, unknown strings, peers that cannot be."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Signals:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, t: pl.InOut[pl.Tensor[[4, 1], pl.INT32]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],
               f: pl.InOut[pld.DistributedTensor[[4, 1], pl.FP32]], x: pl.Scalar[pl.FP32],
               flag: pl.Scalar[pl.BOOL]):
        pld.system.notify(t, 0, [0, 0], 1)
        pld.system.notify(f, 0, [0, 0], 1)
        pld.system.notify(s, -1, [0, 0], 1)
        pld.system.notify(s, 0, [0], 1)
        pld.system.notify(s, 0, [4, 0], 1)
        pld.system.notify(s, 0, [0, 0], 1, op="max")
        pld.system.notify(s, 0, [0, 0], x)
        pld.system.notify(s, 0, [0, 0], flag)
        pld.system.notify(s, 0, [0, 0], 3000000000)
        pld.system.notify(s, x, [0, 0], 1)
        pld.system.wait(s, [0, 0], 1, cmp="=>")
        pld.system.wait(s, [0, 0])
        pl.tile.comm_wait(s, 1, cmp="ge")
        pl.tile.comm_notify(pld.peer_slot(f, 0, [0, 0]), 1)
        pl.tile.comm_notify(s[0:2, 0:1], 1, op="set")
        pl.tile.comm_wait(s[0:1, 0:1], 1, cmp="equal")
        value = pld.system.notify(s, 0, [0, 0], 1)
        pld.system.defer_wait(s, [0, 0], 1)
