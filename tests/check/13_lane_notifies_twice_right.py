# run: tilewire check %s --ranks 2
# verdict: proved
"""Two vector lanes each send their half of a tile to the other rank and notify it; the other rank waits for both notifies.

The vector function runs twice for each block because its pipe is split over two lanes, and so does the notify in it.
"""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
NOTIFIES = 2


@pl.program
class Twice:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        peer = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(peer, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=1)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]], sig: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
        fifo = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(fifo, None, dir_mask=1, slot_size=4096)
        t: pl.Tile[[8, 64], pl.FP32] = pl.tpop_from_aic(split=1)
        other = 1 - pld.rank(pld.get_comm_ctx(sig))
        pld.tile.remote_store(t, w, other, [pl.tile.get_subblock_idx() * 8, 0])
        pld.system.notify(sig, other, [0, 0], 1)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]], sig: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
        self.cube(a)
        self.vector(w, sig)

    @pl.function(type=pl.FunctionType.InCore)
    def take(self, w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]], sig: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
             y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        pld.system.wait(sig, [0, 0], NOTIFIES)
        pl.store(pl.load(w, [0, 0], [16, 64]), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, a: pl.Tensor[[16, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]], sig: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
             y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.both(a, w, sig)
        self.take(w, sig, y)

    @pl.function(type=pl.FunctionType.Host)
    def main(self, a: pl.Tensor[[NR, 16, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 16, 64], pl.FP32]]):
        w = pld.alloc_window([16, 64], dtype=pl.FP32)
        sig = pld.alloc_signal(1)
        for r in pl.range(pld.world_size()):
            self.chip(a[r], w, sig, y[r], device=r)
