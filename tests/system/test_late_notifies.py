"""Notifies land after they are issued: random schedules show what the memory model allows, and nothing else."""

import numpy as np
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def flags(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    pld.system.notify(s, 0, [me, 0], 1, op=pld.NotifyOp.Set)
    pld.system.notify(s, 1, [me, 0], 1, op=pld.NotifyOp.Set)
    entered = pl.const(0, pl.INT32)
    if not pld.system.test(s, [1 - me, 0], 1):
        entered = pl.const(1, pl.INT32)
    pl.write(y, [0, 0], entered)
    own = pl.const(0, pl.INT32)
    if pld.system.test(s, [me, 0], 1):
        own = pl.const(1, pl.INT32)
    pl.write(y, [0, 1], own)


@pl.jit.host
def two_flags(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        flags(y[r], s, device=r)


def test_two_flags_exclude_nobody_under_some_schedule():
    entered = set()
    for seed in range(200):
        y = np.zeros((2, 1, 8), np.int32)
        two_flags(y, ranks=2, threads=1, schedule=f"random:{seed}")
        entered.add(int(y[:, 0, 0].sum()))
        # An operation on a cell sees the notifies of it that happen before.
        assert (y[:, 0, 1] == 1).all()
    assert 2 in entered
    assert 1 in entered


@pl.jit.incore
def ordered(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    wrong = pl.const(0, pl.INT32)
    if me == 0:
        pld.system.notify(s, 1, [0, 0], 1)
        pld.system.notify(s, 1, [1, 0], 1)
        if pld.system.test(s, [2, 0], 1):
            wrong = pl.const(1, pl.INT32)
    else:
        if pld.system.test(s, [1, 0], 1):
            if not pld.system.test(s, [0, 0], 1):
                wrong = pl.const(1, pl.INT32)
    pl.write(y, [0, 0], wrong)


@pl.jit.host
def in_order(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        ordered(y[r], s, device=r)


def test_notifies_of_a_block_land_in_their_order():
    for seed in range(100):
        y = np.zeros((2, 1, 8), np.int32)
        in_order(y, ranks=2, threads=1, schedule=f"random:{seed}")
        assert (y[:, 0, 0] == 0).all()
