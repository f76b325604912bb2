"""Two ranks pass a number back and forth: two one-way signals a round."""
import tilewire.language as pl
import tilewire.language.distributed as pld

ADD = False  # whether a notify adds to the cell or sets it


@pl.jit.incore
def rally(ball: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], rounds: pl.Scalar[pl.INT32]):
    me = pld.rank(pld.get_comm_ctx(ball))
    for i in pl.range(rounds):
        if me == 1:
            pld.system.wait(ball, [0, 0], i + 1)
        if ADD:
            pld.system.notify(ball, 1 - me, [0, 0], 1)
        else:
            pld.system.notify(ball, 1 - me, [0, 0], i + 1, op=pld.NotifyOp.Set)
        if me == 0:
            pld.system.wait(ball, [0, 0], i + 1)


@pl.jit.host
def pingpong(rounds: pl.Scalar[pl.INT32]):
    ball = pld.alloc_signal(1)
    for r in pl.range(2):
        rally(ball, rounds, device=r)
