"""The checks that written-out collectives make at run time, and the mark before them, used by hand."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
ROWS = pl.dynamic("ROWS")


@pl.jit.incore
def send(rows: pl.InOut[pld.DistributedTensor[[ROWS, 8], pl.FP32]], counts: pl.Tensor[[NR], pl.INT32],
         x: pl.Tensor[[4, 8], pl.FP32]):
    ranks = pld.nranks(pld.get_comm_ctx(rows))
    pld.system.check_extent(pl.dim(rows, 0), ranks * 4)
    pld.system.enter_collective(rows, rows, name="all_to_all_v")
    pld.system.collective_effects(rows, rows)
    for peer in pl.range(ranks):
        pld.system.check_count(counts[peer], 4)
        pld.tensor.put(rows, peer, x, [0, 0], [0, 0], [counts[peer], 8])


@pl.jit.host
def host(x: pl.Tensor[[4, 8], pl.FP32], counts: pl.Tensor[[NR], pl.INT32]):
    rows = pld.alloc_window([pld.world_size() * 4, 8], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        send(rows, counts, x, device=r)
