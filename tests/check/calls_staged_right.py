# run: tilewire check %s --ranks 2,3 --calls 2
# verdict: proved
"""Windows that are filled from arrays are filled again by each call, when the one before has ended."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def add_one(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
    w = pl.store(pl.load(w) + 1.0, [0, 0], w)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    buffer = pld.alloc_window_buffer([1, 8], dtype=pl.FP32, load_from_host=x, store_to_host=y)
    w = pld.window(buffer, [1, 8], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        add_one(w, device=r)
