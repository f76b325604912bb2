# run: tilewire check %s --ranks 2
# verdict: proved
"""The cell is notified once, and so is the other one."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
K = pl.dynamic("K")


@pl.jit.incore
def see(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], n: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    if pld.rank(pld.get_comm_ctx(s)) == 0:
        pl.write(n, [0, 0], pld.system.wait(s, [0, 0], 1))
    else:
        pld.system.notify(s, 0, [0, 0], 1)
        pl.write(n, [0, 0], pl.const(1, pl.INT32))


@pl.jit.incore
def tell(x: pl.Tensor[[K, 8], pl.FP32], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    if pld.rank(pld.get_comm_ctx(s)) == 0:
        for i in pl.range(K):
            pld.system.notify(s, 1, [1, 0], -1)
    else:
        pld.system.notify(s, 1, [1, 0], 2)


@pl.jit.incore
def last(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    if pld.rank(pld.get_comm_ctx(s)) == 0:
        pld.system.notify(s, 1, [2, 0], 1)
    else:
        pld.system.wait(s, [2, 0], 1)
        pld.system.wait(s, [1, 0], 1)


@pl.jit
def chip(x: pl.Tensor[[4, 8], pl.FP32], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    n = pl.create_tensor([1, 8], dtype=pl.INT32)
    see(s, n)
    k = pl.read(n, [0, 0])
    tell(x[0:k], s)
    last(s)


@pl.jit.host
def main(x: pl.Tensor[[NR, 4, 8], pl.FP32]):
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        chip(x[r], s, device=r)
