"""Loops that poll signal cells, in kernels and in orchestration functions: they take no thread while nothing changes, and
one that nobody answers is a deadlock, listed with rank, line, cell and value."""

import numpy as np
import pytest
import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def read_cell(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(c)
    me = pld.rank(ctx)
    last = pld.nranks(ctx) - 1
    n = pl.const(0, pl.INT32)
    if me < last:
        while n < 1:
            n = pl.read(c, [0, 0])
    else:
        for p in pl.range(last):
            pld.system.notify(c, p, [0, 0], 1)
        n = pl.const(1, pl.INT32)
    pl.write(y, [0, 0], n)


@pl.jit.host
def reads(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    c = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        read_cell(y[r], c, device=r)


# Until all of the others have told it; each then tells the next cell of all.
@pl.jit.incore
def count_cells(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], c: pl.InOut[pld.DistributedTensor[[16, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(c)
    me = pld.rank(ctx)
    for p in pl.range(pld.nranks(ctx)):
        pld.system.notify(c, p, [me, 0], 1)
    there = pl.const(0, pl.INT32)
    while there < pld.nranks(ctx):
        there = pl.const(0, pl.INT32)
        for p in pl.range(pld.nranks(ctx)):
            if pld.system.test(c, [p, 0], 1):
                there = there + 1
    pl.write(y, [0, 0], there // pld.nranks(ctx))


@pl.jit.host
def counts(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    c = pld.alloc_signal(16)
    for r in pl.range(pld.world_size()):
        count_cells(y[r], c, device=r)


# One that counts its rounds is not a poll; it lets others run all the same.
@pl.jit.incore
def read_and_count(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(c)
    last = pld.nranks(ctx) - 1
    n = pl.const(0, pl.INT32)
    rounds = pl.const(0, pl.INT64)
    if pld.rank(ctx) < last:
        while n < 1:
            n = pl.read(c, [0, 0])
            rounds = rounds + 1
    else:
        for p in pl.range(last):
            pld.system.notify(c, p, [0, 0], 1)
    if rounds >= 0:
        pl.write(y, [0, 0], pl.const(1, pl.INT32))


@pl.jit.host
def counted(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    c = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        read_and_count(y[r], c, device=r)


@pl.jit.incore
def tell_next(c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(c)
    pld.system.notify(c, (pld.rank(ctx) + 1) % pld.nranks(ctx), [0, 0], 1)


@pl.jit
def chip(y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]], c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    tell_next(c)
    n = pl.const(0, pl.INT32)
    while n < 1:
        n = pl.read(c, [0, 0])
    pl.write(y, [0, 0], n)


@pl.jit.host
def orchestration(y: pl.InOut[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    c = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        chip(y[r], c, device=r)


# The caller's window is a plain tensor here.
@pl.jit.incore
def read_plain(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], c: pl.Tensor[[4, 1], pl.INT32]):
    n = pl.const(0, pl.INT32)
    while n < 1:
        n = pl.read(c, [0, 0])
    pl.write(y, [0, 0], n)


@pl.jit
def plain_chip(y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]], c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    tell_next(c)
    read_plain(y, c)


@pl.jit.host
def plain(y: pl.InOut[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    c = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        plain_chip(y[r], c, device=r)


@pytest.mark.parametrize("program", [reads, counts, counted, orchestration, plain], ids=lambda p: p.__name__)
@pytest.mark.parametrize("ranks", [2, 8])
def test_polls_fill_no_thread(program, ranks, place):
    for settings in place.settings():
        for _ in range(5):
            y = np.zeros((ranks, 1, 8), np.int32)
            program(y, ranks=ranks, **settings)
            assert (y[:, 0, 0] == 1).all(), settings


@pl.jit.incore
def read_for_ever(c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    n = pl.const(0, pl.INT32)
    while n < 1:
        n = pl.read(c, [1, 0])


@pl.jit.incore
def ask_for_ever(c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    while True:
        if pld.system.test(c, [2, 0], 1):
            break
        if pld.system.test(c, [3, 0], 1):
            break


@pl.jit
def read_in_orchestration(c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    n = pl.const(0, pl.INT32)
    while n < 1:
        n = pl.read(c, [0, 0])


@pl.jit.host
def read_stuck():
    c = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        read_for_ever(c, device=r)


@pl.jit.host
def ask_stuck():
    c = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        ask_for_ever(c, device=r)


@pl.jit.incore
def read_plain_for_ever(c: pl.Tensor[[4, 1], pl.INT32]):
    n = pl.const(0, pl.INT32)
    while n < 1:
        n = pl.read(c, [1, 0])


@pl.jit.host
def plain_stuck():
    c = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        read_plain_for_ever(c, device=r)


@pl.jit.incore
def ask_for_the_last(c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    g = pld.subgroup(pld.get_comm_ctx(c), pld.nranks(pld.get_comm_ctx(c)))
    while not pld.system.test(c, [pld.member_rank(g, pld.nranks(g) - 1), 0], 1):
        pass


@pl.jit.host
def member_stuck():
    c = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        ask_for_the_last(c, device=r)


@pl.jit.host
def orchestration_stuck():
    c = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        read_in_orchestration(c, device=r)


@pytest.mark.parametrize("program, says", [
    (read_stuck, "rank {}, in `read_for_ever`: reads `c[1, 0]` on rank {}, which is 0"),
    (plain_stuck, "rank {}, in `read_plain_for_ever`: reads `c[1, 0]` on rank {}, which is 0"),
    (ask_stuck, "rank {}, in `ask_for_ever`: tests `c[2, 0]` on rank {}, which is 0"),
    (orchestration_stuck, "rank {}: reads `c[0, 0]` on rank {}, which is 0"),
    (member_stuck, "rank {}, in `ask_for_the_last`: tests `c[3, 0]` on rank {}, which is 0")],
    ids=["read", "plain", "test", "orchestration", "member"])
def test_a_poll_that_nobody_answers_is_a_deadlock(program, says, place):
    for settings in place.settings():
        with pytest.raises(tilewire.DeadlockError) as raised:
            program(ranks=4, **settings)
        [found] = raised.value.diagnostics
        assert found.message == "deadlock: 4 tasks are blocked and nothing can wake them"
        assert [note.text for note in found.notes] == [says.format(rank, rank) for rank in range(4)], settings
    assert program.check(ranks=[2]).verdict == "refuted"
