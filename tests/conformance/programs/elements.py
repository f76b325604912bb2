"""An orchestration function reads elements that a collective has just written: it waits for the collective."""
# collective: allreduces ranks=1,2,3,4
# collective: moves ranks=1,2,3,4
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit
def reduce_chip(y: pl.InOut[pl.Tensor[[1, 8], pl.FP32]], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
                s: pl.InOut[pld.DistributedTensor[[2 * NR, 1], pl.INT32]]):
    w[0, 3] = y[0, 3]
    with pl.at(level=pl.Level.CORE_GROUP):
        w = pld.tensor.allreduce(w, s, mode="mesh")
    y[0, 0] = w[0, 3]
    with pl.at(level=pl.Level.CORE_GROUP):
        w = pld.tensor.allreduce(w, s, mode="two_shot")
    y[0, 1] = w[0, 3]
    with pl.at(level=pl.Level.CORE_GROUP):
        w = pld.tensor.allreduce(w, s, mode="ring")
    y[0, 2] = w[0, 3]
    with pl.at(level=pl.Level.CORE_GROUP):
        w = pld.tensor.allreduce(w, s)
    y[0, 4] = w[0, 3]
    w[0, 3] = y[0, 3]
    with pl.at(level=pl.Level.CORE_GROUP):
        w = pld.tensor.broadcast(w, s, root=0)
    y[0, 5] = w[0, 3]


@pl.jit.host
def allreduces(y: pl.InOut[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(2 * pld.world_size())
    for r in pl.range(pld.world_size()):
        reduce_chip(y[r], w, s, device=r)


@pl.jit
def move_chip(y: pl.InOut[pl.Tensor[[1, 8], pl.FP32]], x: pl.Tensor[[1, 8], pl.FP32],
              a: pl.InOut[pld.DistributedTensor[[NR, 8], pl.FP32]],
              b: pl.InOut[pld.DistributedTensor[[NR, 8], pl.FP32]],
              s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        a = pld.tensor.allgather(x, a, s)
    y[0, 0] = a[0, 3]
    with pl.at(level=pl.Level.CORE_GROUP):
        b = pld.tensor.all_to_all(a, b, s)
    y[0, 1] = b[0, 3]


@pl.jit.host
def moves(y: pl.InOut[pl.Tensor[[NR, 1, 8], pl.FP32]], x: pl.Tensor[[NR, 1, 8], pl.FP32]):
    a = pld.alloc_window([pld.world_size(), 8], dtype=pl.FP32)
    b = pld.alloc_window([pld.world_size(), 8], dtype=pl.FP32)
    s = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        move_chip(y[r], x[r], a, b, s, device=r)
