"""A stencil on rows spread over ranks: border rows go to both neighbours before every step."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
ROWS = 16
COLS = 4 * ROWS


@pl.jit.incore
def step(grid: pl.InOut[pld.DistributedTensor[[ROWS + 2, COLS], pl.FP32]],
         ready: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], epoch: pl.Scalar[pl.INT32]):
    ctx = pld.get_comm_ctx(grid)
    me = pld.rank(ctx)
    n = pld.nranks(ctx)
    if me > 0:
        top = pl.load(grid, [1, 0], [1, COLS])
        pld.tile.remote_store(top, grid, me - 1, [ROWS + 1, 0])
        pld.system.notify(ready, me - 1, [1, 0], 1)
    if me < n - 1:
        bottom = pl.load(grid, [ROWS, 0], [1, COLS])
        pld.tile.remote_store(bottom, grid, me + 1, [0, 0])
        pld.system.notify(ready, me + 1, [0, 0], 1)
    if me > 0:
        pld.system.wait(ready, [0, 0], 2 * epoch + 1)
    if me < n - 1:
        pld.system.wait(ready, [1, 0], 2 * epoch + 1)
    above = pl.load(grid, [0, 0], [ROWS, COLS])
    here = pl.load(grid, [1, 0], [ROWS, COLS])
    below = pl.load(grid, [2, 0], [ROWS, COLS])
    if me > 0:
        pld.system.notify(ready, me - 1, [1, 0], 1)
    if me < n - 1:
        pld.system.notify(ready, me + 1, [0, 0], 1)
    if me > 0:
        pld.system.wait(ready, [0, 0], 2 * epoch + 2)
    if me < n - 1:
        pld.system.wait(ready, [1, 0], 2 * epoch + 2)
    grid = pl.store(above * 0.25 + here * 0.5 + below * 0.25, [1, 0], grid)
    return grid


@pl.jit
def chip(grid: pl.InOut[pld.DistributedTensor[[ROWS + 2, COLS], pl.FP32]],
         ready: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], steps: pl.Scalar[pl.INT32],
         out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    for epoch in pl.range(steps):
        grid = step(grid, ready, epoch)
    with pl.at(level=pl.Level.CORE_GROUP):
        out[...] = pl.load(grid, [1, 0], [ROWS, COLS])
    return out


@pl.jit.host
def host(first: pl.Tensor[[NR, ROWS + 2, COLS], pl.FP32], steps: pl.Scalar[pl.INT32],
         out: pl.Out[pl.Tensor[[NR, ROWS, COLS], pl.FP32]]):
    grid_buf = pld.alloc_window_buffer([ROWS + 2, COLS], dtype=pl.FP32, load_from_host=first)
    grid = pld.window(grid_buf, [ROWS + 2, COLS], dtype=pl.FP32)
    ready = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        chip(grid, ready, steps, out[r], device=r)
