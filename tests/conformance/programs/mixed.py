"""Kernels that mix products and vector work, signals and remote memory, as one kernel and as two halves."""
# run: pass_round ranks=1,2,4 rounds=3 range.x=-3..4 range.w=-3..4 tolerance=1e-4
# run: pass_round ranks=1,2,3,4 rounds=5 range.x=-3..4 range.w=-3..4 tolerance=1e-4 split
# run: pass_round ranks=1,2,4 rounds=5 range.x=-3..4 range.w=-3..4 tolerance=1e-4 split hooks
# run: stripes ranks=1,2,3 blocks=4 tolerance=1e-4 split
# run: stripes ranks=1,2,3 blocks=2 tolerance=1e-4 split hooks
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Mixed:
    @pl.function(type=pl.FunctionType.InCore)
    def step(self, x: pl.Tensor[[16, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32],
             inbox: pl.InOut[pld.DistributedTensor[[2, 16, 32], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], rounds: pl.Scalar[pl.INDEX],
             y: pl.InOut[pl.Tensor[[16, 32], pl.FP32]]):
        """Products go to the next rank, what arrives is the left operand of the next product."""
        ctx = pld.get_comm_ctx(inbox)
        right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
        left = (pld.rank(ctx) + pld.nranks(ctx) - 1) % pld.nranks(ctx)
        t = pl.load(x)
        for i in pl.range(rounds):
            product = pl.matmul(t * 0.0625, pl.load(w))
            if i > 1:
                pld.system.wait(signal, [1, 0], i - 1)  # the slot is free again
            pld.tile.remote_store(product, inbox, right, [i % 2, 0, 0])
            pld.system.notify(signal, right, [0, 0], 1)
            pld.system.wait(signal, [0, 0], i + 1)
            t = pl.load(inbox, [i % 2, 0, 0], [1, 16, 32]) + 1.0
            pld.system.notify(signal, left, [1, 0], 1)
        pl.store(t, [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[16, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32],
             inbox: pl.InOut[pld.DistributedTensor[[2, 16, 32], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], rounds: pl.Scalar[pl.INDEX],
             y: pl.InOut[pl.Tensor[[16, 32], pl.FP32]]):
        self.step(x, w, inbox, signal, rounds, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def pass_round(self, x: pl.Tensor[[NR, 16, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32], rounds: pl.Scalar[pl.INDEX],
                   y: pl.InOut[pl.Tensor[[NR, 16, 32], pl.FP32]]):
        inbox = pld.alloc_window([2, 16, 32], dtype=pl.FP32)
        signal = pld.alloc_signal(4)
        for r in pl.range(pld.world_size()):
            self.chip(x[r], w, inbox, signal, rounds, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore, attrs={"split": pl.SplitMode.UP_DOWN})
    def stripe(self, x: pl.Tensor[[64, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32], y: pl.InOut[pl.Tensor[[64, 32], pl.FP32]]):
        row = pl.tile.get_block_idx() * 16
        t = pl.load(x, [row, 0], [16, 32])
        for i in pl.range(12):
            t = pl.tanh(pl.matmul(t + 0.5, pl.load(w)) * 0.125)
        pl.store(t + pl.load(y, [row, 0], [16, 32]), [row, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def blocks_of(self, x: pl.Tensor[[64, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32], blocks: pl.Scalar[pl.INDEX],
                  y: pl.InOut[pl.Tensor[[64, 32], pl.FP32]]):
        with pl.spmd(blocks):
            self.stripe(x, w, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def stripes(self, x: pl.Tensor[[NR, 64, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32], blocks: pl.Scalar[pl.INDEX],
                y: pl.InOut[pl.Tensor[[NR, 64, 32], pl.FP32]]):
        for r in pl.range(pld.world_size()):
            self.blocks_of(x[r], w, blocks, y[r], device=r)
