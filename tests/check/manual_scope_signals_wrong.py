# run: tilewire check %s --ranks 2
# verdict: refuted
"""General cells: the search finds the race in a manual scope, too."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def copy(a: pl.Tensor[[1, 8], pl.FP32], b: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(a), [0, 0], b)  # found: race


@pl.jit.incore
def ask(signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(signal)
    right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    pld.system.notify(signal, right, [0, 0], 1)
    while not pld.system.test(signal, [0, 0], 1, cmp="eq"):
        pass


@pl.jit
def chip(x: pl.Tensor[[1, 8], pl.FP32], signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
         y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    ask(signal)
    with pl.scope():
        t = pl.create_tensor([1, 8], dtype=pl.FP32)
        with pl.manual_scope():
            with pl.spmd(1) as first:
                copy(x, t)
            join = pl.task_join(deps=[pl.no_task()])
            copy(t, y, deps=[join])


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    signal = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        chip(x[r], signal, y[r], device=r)
