"""Reads of a peer's memory in order, between signals: no read may see what was there before the last one."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
ROWS = 24


@pl.jit.inline
def meet(signal, ranks, me, round_number):
    for peer in pl.range(ranks):
        pld.system.notify(signal, peer, [me, 0], 1)
    for source in pl.range(ranks):
        pld.system.wait(signal, [source, 0], round_number)


@pl.jit.incore
def gather_rounds(
    x: pl.Tensor[[ROWS, 32], pl.FP32],
    y: pl.Out[pl.Tensor[[ROWS, 32], pl.FP32]],
    rows: pl.InOut[pld.DistributedTensor[[ROWS, 32], pl.FP32]],
    marks: pl.InOut[pld.DistributedTensor[[1, 32], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(rows)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    # Waited for, then tested: each makes what was written before visible.
    for step in pl.range(2):
        for r in pl.range(ROWS):
            rows = pl.store(pl.load(x, [r, 0], [1, 32]) * pl.cast(step + 1, pl.FP32), [r, 0], rows)
        meet(signal, ranks, me, 2 * step + 1)
        for r in pl.range(ROWS):
            total = pl.full([1, 32], dtype=pl.FP32, value=0.0)
            for source in pl.range(ranks):
                total = total + pld.tile.remote_load(rows, source, [r, 0], [1, 32])
            y = pl.store(total, [r, 0], y)
        for peer in pl.range(ranks):
            pld.system.notify(signal, peer, [me, 0], 1)
        for source in pl.range(ranks):
            while not pld.system.test(signal, [source, 0], 2 * step + 2):
                pass
    # What this rank writes at a peer it sees there at once.
    peer = (me + 1) % ranks
    for r in pl.range(4):
        before = pld.tile.remote_load(marks, peer, [0, 8 * r], [1, 8])
        pld.tile.remote_store(before + 1.0, marks, peer, [0, 8 * r])
        if r < 3:
            pld.tile.remote_store(before + 2.0, marks, peer, [0, 8 * r + 8])
        y[r : r + 1, 0:8] = pld.tile.remote_load(marks, peer, [0, 8 * r], [1, 8])
    meet(signal, ranks, me, 5)


@pl.jit.host
def host(x: pl.Tensor[[NR, ROWS, 32], pl.FP32], y: pl.Out[pl.Tensor[[NR, ROWS, 32], pl.FP32]]):
    rows = pld.alloc_window([ROWS, 32], dtype=pl.FP32)
    marks = pld.alloc_window([1, 32], dtype=pl.FP32)
    signal = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        gather_rounds(x[r], y[r], rows, marks, signal, device=r)
