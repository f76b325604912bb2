"""Kernels of a cube and a vector half on several ranks: what comes out of the pipe goes to the next rank."""
# run: stream ranks=1,2,3,4 blocks=1 tolerance=1e-5
# run: stream ranks=1,2,4 blocks=4 tolerance=1e-5
# run: stream ranks=1,2,4 blocks=3 tolerance=1e-5 hooks
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
TILES = 6


@pl.program
class Pipes:
    @pl.function(type=pl.FunctionType.AIC)
    def multiply(self, x: pl.Tensor[[4, 16, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32]):
        scores = pl.import_peer_buffer(name="scores", peer_func="pass_on")
        back = pl.reserve_buffer(name="back", size=2 * 4096)
        pl.aic_initialize_pipe(scores, back, dir_mask=3, slot_size=4096, slot_num=2)
        right = pl.load(w, [0, 0], [64, 64])
        t = pl.load(x, [pl.tile.get_block_idx() % 4, 0, 0], [1, 16, 64])
        for i in pl.range(TILES):
            pl.tpush_to_aiv(pl.matmul(t, right), split=1)
            s: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aiv(split=1)
            t = s * 0.125
            pl.tfree_to_aiv(s)

    @pl.function(type=pl.FunctionType.AIV)
    def pass_on(self, inbox: pl.InOut[pld.DistributedTensor[[4, 16, 64], pl.FP32]],
                signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        scores = pl.reserve_buffer(name="scores", size=2 * 4096)
        back = pl.import_peer_buffer(name="back", peer_func="multiply")
        pl.aiv_initialize_pipe(scores, back, dir_mask=3, slot_size=4096, slot_num=2)
        ctx = pld.get_comm_ctx(inbox)
        right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
        lane = pl.tile.get_subblock_idx()
        total = pl.full([8, 64], dtype=pl.FP32, value=0.0)
        for i in pl.range(TILES):
            t: pl.Tile[[8, 64], pl.FP32] = pl.tpop_from_aic(split=1)
            pl.tpush_to_aic(pl.tanh(t), split=1)
            total = total + t
            pl.tfree_to_aic(t)
        block = pl.tile.get_block_idx() % 4
        pld.tile.remote_store(total, inbox, right, [block, lane * 8, 0])
        pld.system.notify(signal, right, [block, 0], 1)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, x: pl.Tensor[[4, 16, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32],
             inbox: pl.InOut[pld.DistributedTensor[[4, 16, 64], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        self.multiply(x, w)
        self.pass_on(inbox, signal)

    @pl.function(type=pl.FunctionType.InCore)
    def take(self, inbox: pl.InOut[pld.DistributedTensor[[4, 16, 64], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], blocks: pl.Scalar[pl.INDEX],
             y: pl.InOut[pl.Tensor[[4, 16, 64], pl.FP32]]):
        for b in pl.range(blocks):
            pld.system.wait(signal, [b, 0], 2)
            pl.store(pl.load(inbox, [b, 0, 0], [1, 16, 64]), [b, 0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[4, 16, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32],
             inbox: pl.InOut[pld.DistributedTensor[[4, 16, 64], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], blocks: pl.Scalar[pl.INDEX],
             y: pl.InOut[pl.Tensor[[4, 16, 64], pl.FP32]]):
        with pl.spmd(blocks):
            self.both(x, w, inbox, signal)
        self.take(inbox, signal, blocks, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def stream(self, x: pl.Tensor[[NR, 4, 16, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32], blocks: pl.Scalar[pl.INDEX],
               y: pl.InOut[pl.Tensor[[NR, 4, 16, 64], pl.FP32]]):
        inbox = pld.alloc_window([4, 16, 64], dtype=pl.FP32)
        signal = pld.alloc_signal(4)
        for r in pl.range(pld.world_size()):
            self.chip(x[r], w, inbox, signal, blocks, y[r], device=r)
