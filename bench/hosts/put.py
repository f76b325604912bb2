"""Two ranks put an array into each other's window in turns, each time with a signal, and read what has arrived."""
import tilewire.language as pl
import tilewire.language.distributed as pld

ELEMENTS = 2


@pl.jit.incore
def rally(
    x: pl.Tensor[[1, ELEMENTS], pl.FP32],
    box: pl.InOut[pld.DistributedTensor[[1, ELEMENTS], pl.FP32]],
    ball: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    rounds: pl.Scalar[pl.INT32],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(box))
    seen = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    for i in pl.range(rounds):
        if me == 1:
            pld.system.wait(ball, [0, 0], i + 1)
            seen = seen + pl.load(box, [0, 0], [1, 1])
        pld.tensor.put(box, 1 - me, x)
        pld.system.notify(ball, 1 - me, [0, 0], 1)
        if me == 0:
            pld.system.wait(ball, [0, 0], i + 1)
            seen = seen + pl.load(box, [0, 0], [1, 1])
    y = pl.store(seen, [0, 0], y)
    return y


@pl.jit.host
def put(
    x: pl.Tensor[[2, ELEMENTS], pl.FP32], rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[2, 1], pl.FP32]]
):
    box = pld.alloc_window([1, ELEMENTS], dtype=pl.FP32)
    ball = pld.alloc_signal(1)
    for r in pl.range(2):
        rally(x[r : r + 1, :], box, ball, rounds, y[r : r + 1, :], device=r)
