# run: tilewire check %s --ranks 2
"""An orchestration function reads an element too early, and then waits for a task where it reads the next one."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def send(x: pl.Tensor[[1, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(w)
    right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    pld.tile.remote_store(pl.load(x), w, right, [0, 0])
    pld.system.notify(s, right, [0, 0], 1)


@pl.jit.incore
def mark(m: pl.Out[pl.Tensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    pld.system.wait(s, [0, 0], 1)
    pl.store(pl.full([1, 8], dtype=pl.FP32, value=2.0), [0, 0], m)


@pl.jit.incore
def add(early: pl.Scalar[pl.FP32], late: pl.Scalar[pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.full([1, 8], dtype=pl.FP32, value=0.0) + early + late, [0, 0], y)


@pl.jit
def chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    marked = pl.create_tensor([1, 8], dtype=pl.FP32)
    send(x, w, s)
    mark(marked, s)
    early = pl.read(w, [0, 0])
    late = pl.read(marked, [0, 1])
    add(early, late, y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], w, s, device=r)
