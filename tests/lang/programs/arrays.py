"""Arrays on the core: a histogram, a prefix sum, a table of offsets."""
import tilewire.language as pl

BINS = 8


@pl.program
class Histogram:
    @pl.function(type=pl.FunctionType.InCore)
    def count(self, x: pl.Tensor[[128], pl.INT32],
              out: pl.Out[pl.Tensor[[BINS], pl.INT32]]) -> pl.Tensor[[BINS], pl.INT32]:
        bins: pl.Array[BINS, pl.INT32] = pl.array.create(BINS, pl.INT32)
        for b in pl.unroll(BINS):
            bins[b] = 0
        for i in pl.range(128):
            slot = pl.read(x, [i]) % BINS
            bins[slot] = bins[slot] + 1
        offsets = pl.array.create(BINS, pl.INT64)
        running = pl.const(0, pl.INT64)
        for b in pl.range(BINS):
            offsets[b] = running
            running += pl.cast(bins[b], pl.INT64)
        for b in pl.range(BINS):
            out[b] = bins[b] + pl.cast(offsets[b], pl.INT32)
        return out
