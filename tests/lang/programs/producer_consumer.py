"""Rank 0 produces, rank 1 consumes, through a ring of slots with credits; epochs only grow."""
import tilewire.language as pl
import tilewire.language.distributed as pld

SLOTS = 4


@pl.program
class ProducerConsumer:
    @pl.function(type=pl.FunctionType.InCore)
    def produce(self, x: pl.Tensor[[32, 8, 64], pl.FP32],
                ring: pl.InOut[pld.DistributedTensor[[SLOTS, 8, 64], pl.FP32]],
                filled: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
                freed: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
        for i in pl.range(32):
            if i >= SLOTS:
                pld.system.wait(freed, [0, 0], i - SLOTS + 1, cmp=pld.WaitCmp.Ge)
            t = pl.load(x, [i, 0, 0], [1, 8, 64])
            pld.tile.remote_store(t, ring, 1, [i % SLOTS, 0, 0])
            pld.system.notify(filled, 1, [0, 0], 1)

    @pl.function(type=pl.FunctionType.InCore)
    def consume(self, ring: pld.DistributedTensor[[SLOTS, 8, 64], pl.FP32],
                filled: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
                freed: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
                y: pl.Out[pl.Tensor[[32, 8, 64], pl.FP32]]) -> pl.Tensor[[32, 8, 64], pl.FP32]:
        for i in pl.range(32):
            seen = pld.system.wait(filled, [0, 0], i + 1)
            t = pl.load(ring, [i % SLOTS, 0, 0], [1, 8, 64])
            scale = pl.cast(seen, pl.FP32)
            y = pl.store(t * scale, [i, 0, 0], y)
            pld.system.notify(freed, 0, [0, 0], 1)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[32, 8, 64], pl.FP32], y: pl.Out[pl.Tensor[[32, 8, 64], pl.FP32]]):
        ring_buf = pld.alloc_window_buffer(SLOTS * 8 * 64 * pl.FP32.get_byte())
        ring = pld.window(ring_buf, [SLOTS, 8, 64], dtype=pl.FP32)
        filled = pld.alloc_signal(1)
        freed = pld.alloc_signal(1)
        self.produce(x, ring, filled, freed, device=0)
        self.consume(ring, filled, freed, y, device=1)
