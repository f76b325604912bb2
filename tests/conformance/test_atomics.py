"""Atomic updates that return the old value: what they return, what they order, who they wake, and what they refuse."""

import numpy as np
import pytest
import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def old_values(c: pl.InOut[pl.Tensor[[2, 3], pl.INT64]], y: pl.Out[pl.Tensor[[6], pl.INT64]]):
    pl.write(y, [0], pl.atomic_add(c, [1, 2], 5))
    pl.write(y, [1], pl.atomic_add(c, [1, 2], -7))
    pl.write(y, [2], pl.atomic_cas(c, [1, 2], 6, 100))
    pl.write(y, [3], pl.atomic_cas(c, [1, 2], 8, 100))
    pl.write(y, [4], pl.atomic_add(c, [0, 0], 1))
    pl.write(y, [5], pl.read(c, [0, 0]))


@pl.jit
def returns(c: pl.InOut[pl.Tensor[[2, 3], pl.INT64]], y: pl.Out[pl.Tensor[[6], pl.INT64]]):
    old_values(c, y)


def test_old_values(place):
    for settings in place.settings():
        c = np.zeros((2, 3), np.int64)
        c[1, 2], c[0, 0] = 10, np.iinfo(np.int64).max
        y = np.zeros(6, np.int64)
        returns(c, y, **settings)
        low = np.iinfo(np.int64).min
        assert y.tolist() == [10, 15, 8, 8, np.iinfo(np.int64).max, low]
        assert c[1, 2] == 100 and c[0, 0] == low


# Every rank adds to a cell of each; what they are told is every number once.
@pl.jit.incore
def number(y: pl.Out[pl.Tensor[[1, 16], pl.INT32]], c: pl.InOut[pld.DistributedTensor[[2, 8], pl.INT32]],
           s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
    ranks = pld.nranks(pld.get_comm_ctx(c))
    for p in pl.range(ranks):
        pl.write(y, [0, p], pld.system.fetch_add(c, p, [1, 3], 1))
    pld.system.notify_all(s)
    pld.system.wait_all(s, 1)
    pl.write(y, [0, 15], pl.atomic_add(c, [1, 3], 100))


@pl.jit.host
def numbers(y: pl.Out[pl.Tensor[[NR, 1, 16], pl.INT32]]):
    c = pld.alloc_window([2, 8], dtype=pl.INT32)
    s = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        number(y[r], c, s, device=r)


@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_every_number_is_given_once(place, ranks):
    for settings in place.settings():
        y = np.zeros((ranks, 1, 16), np.int32)
        numbers(y, ranks=ranks, **settings)
        for cell in range(ranks):
            assert sorted(y[:, 0, cell]) == list(range(ranks))
        assert (y[:, 0, 15] == ranks).all()


# A lock that is tried until it is free; what it guards is read and written.
@pl.jit.incore
def locked(times: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]],
           w: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]], c: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
           s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
    for i in pl.range(times):
        while pld.system.compare_exchange(c, 0, [0, 0], 0, 1) != 0:
            pass
        pld.tile.remote_store(pld.tile.remote_load(w, 0, [0, 0], [1, 8]) + 1, w, 0, [0, 0])
        pld.system.notify(c, 0, [0, 0], 0, op="set")
    pld.system.notify_all(s)
    pld.system.wait_all(s, 1)
    pl.store(pld.tile.remote_load(w, 0, [0, 0], [1, 8]), [0, 0], y)


@pl.jit.host
def locks(times: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    w = pld.alloc_window([1, 8], dtype=pl.INT32)
    c = pld.alloc_signal(2)
    s = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        locked(times, y[r], w, c, s, device=r)


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_a_lock_by_exchange(place, ranks):
    for settings in place.settings():
        y = np.zeros((ranks, 1, 8), np.int32)
        locks(20, y, ranks=ranks, **settings)
        assert (y == 20 * ranks).all()


# Blocks guard an element of a plain tensor, and meet at a barrier that reads its counter by adding 0.
@pl.jit.incore
def block(c: pl.InOut[pl.Tensor[[2], pl.INT64]], t: pl.InOut[pl.Tensor[[1, 8], pl.INT64]]):
    for i in pl.range(10):
        while pl.atomic_cas(c, [0], 0, 1) != 0:
            pass
        pl.write(t, [0, 0], pl.read(t, [0, 0]) + 1)
        pl.atomic_cas(c, [0], 1, 0)
    pl.atomic_add(c, [1], 1)
    while pl.atomic_add(c, [1], 0) < pl.cast(pl.tile.get_block_num(), pl.INT64):
        pass
    if pl.tile.get_block_idx() == 0:
        pl.write(t, [0, 1], pl.read(t, [0, 0]))


@pl.jit
def blocks(c: pl.InOut[pl.Tensor[[2], pl.INT64]], t: pl.InOut[pl.Tensor[[1, 8], pl.INT64]]):
    with pl.spmd(5):
        block(c, t)


def test_blocks_that_spin(place):
    for settings in place.settings():
        c, t = np.zeros(2, np.int64), np.zeros((1, 8), np.int64)
        blocks(c, t, **settings)
        assert t[0, :2].tolist() == [50, 50] and c.tolist() == [0, 5]


# An update wakes who waits for the cell, also where the window is a plain tensor to the kernel that updates.
@pl.jit.incore
def plain(c: pl.InOut[pl.Tensor[[4, 1], pl.INT32]]):
    pl.atomic_add(c, [0, 0], 2)
    pl.atomic_cas(c, [1, 0], 0, 3)


@pl.jit.incore
def awaits(c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, 2], pl.INT32]]):
    pl.write(y, [0, 0], pld.system.wait(c, [0, 0], 2))
    pl.write(y, [0, 1], pld.system.wait(c, [1, 0], 3))


@pl.jit
def waiter(c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, 2], pl.INT32]]):
    with pl.spmd(1, ordered=False):
        awaits(c, y)
    with pl.spmd(1, ordered=False):
        plain(c)


@pl.jit.host
def wakes(y: pl.Out[pl.Tensor[[NR, 1, 2], pl.INT32]]):
    c = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        waiter(c, y[r], device=r)


def test_updates_wake(place):
    for settings in place.settings(schedules=4):
        y = np.zeros((2, 1, 2), np.int32)
        wakes(y, ranks=2, **settings)
        assert (y == [2, 3]).all()


# Loops that try again sleep until the cell changes: under a lock of blocks in a plain tensor, at a barrier that adds 0,
# and while a compare replaces 0 with 0, which changes nothing and is no reason to sleep.
@pl.jit.incore
def sleeper(c: pl.InOut[pl.Tensor[[3], pl.INT32]], t: pl.InOut[pl.Tensor[[1, 8], pl.INT32]]):
    for i in pl.range(10):
        while pl.atomic_cas(c, [0], 0, 1) != 0:
            pass
        pl.write(t, [0, 0], pl.read(t, [0, 0]) + 1)
        pl.atomic_add(c, [0], -1)
    pl.atomic_add(c, [1], 1)
    while pl.atomic_add(c, [1], 0) < pl.cast(pl.tile.get_block_num(), pl.INT32):
        pass
    if pl.tile.get_block_idx() == 0:
        pl.atomic_cas(c, [2], 0, 7)
    while pl.atomic_cas(c, [2], 0, 0) == 0:
        pass
    if pl.tile.get_block_idx() == 1:
        pl.write(t, [0, 1], pl.read(t, [0, 0]))


@pl.jit
def sleepers(c: pl.InOut[pl.Tensor[[3], pl.INT32]], t: pl.InOut[pl.Tensor[[1, 8], pl.INT32]]):
    with pl.spmd(5):
        sleeper(c, t)


def test_loops_that_try_again(place):
    for settings in place.settings(schedules=6):
        c, t = np.zeros(3, np.int32), np.zeros((1, 8), np.int32)
        sleepers(c, t, **settings)
        assert t[0, :2].tolist() == [50, 50] and c.tolist() == [0, 5, 7], settings


# Both ranks find the lock taken, or a cell that stays 0.
@pl.jit.incore
def keep(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    if me == 1:
        pld.system.fetch_add(s, 0, [0, 0], 1)
        pld.system.fetch_add(s, 0, [1, 0], 1)
    pld.system.wait(s, [1, 0], 1 - me)
    while pld.system.compare_exchange(s, 0, [0, 0], 0, 1) != 0:
        pass


@pl.jit.host
def kept():
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        keep(s, device=r)


@pl.jit.incore
def add_nothing(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    n = pl.const(0, pl.INT32)
    while n == 0:
        n = pld.system.fetch_add(s, 0, [0, 0], 0)


@pl.jit.host
def added():
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        add_nothing(s, device=r)


@pytest.mark.needs("polls of peers")
@pytest.mark.parametrize("program, kernel, value", [(kept, "keep", 1), (added, "add_nothing", 0)], ids=["lock", "add"])
def test_an_update_that_is_tried_for_ever_is_a_deadlock(place, program, kernel, value):
    for settings in place.settings(schedules=4):
        with pytest.raises(tilewire.DeadlockError) as raised:
            program(ranks=2, **settings)
        [found] = raised.value.diagnostics
        assert found.message == "deadlock: 2 tasks are blocked and nothing can wake them"
        assert [note.text for note in found.notes] == [
            f"rank {rank}, in `{kernel}`: updates `s[0, 0]` on rank 0, which is {value}" for rank in range(2)], settings
    assert program.check(ranks=[2]).verdict == "refuted"


@pl.jit.incore
def faulty(i: pl.Scalar[pl.INDEX], peer: pl.Scalar[pl.INDEX], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],
           x: pl.InOut[pl.Tensor[[4], pl.INT64]]):
    pld.system.compare_exchange(s, peer, [0, 0], 0, 1)
    pl.atomic_add(x, [i], 1)


@pl.jit.host
def fails(i: pl.Scalar[pl.INDEX], peer: pl.Scalar[pl.INDEX], x: pl.InOut[pl.Tensor[[4], pl.INT64]]):
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        faulty(i, peer, s, x, device=r)


@pytest.mark.needs("shared arrays")  # all ranks take the same tensor
@pytest.mark.parametrize("i, peer, text", [(4, 0, "index 4"), (-1, 0, "index -1"), (0, 2, "2")])
def test_out_of_bounds(place, i, peer, text):
    for settings in place.settings():
        with pytest.raises(tilewire.RunError, match=text):
            fails(i, peer, np.zeros(4, np.int64), ranks=2, **settings)
