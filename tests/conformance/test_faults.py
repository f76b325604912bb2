"""What a rank does wrong stops all of them and is raised once, with rank and line; waits that nobody answers are listed.

A comment in a program names its line, for the tests.
"""

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
LINES = Path(__file__).read_text().splitlines()


def line_of(comment):
    [number] = [number for number, text in enumerate(LINES, 1) if text.endswith("# " + comment)]
    return number


@contextlib.contextmanager
def promptly(seconds=10):
    """What goes wrong is noticed, not waited for; the machine may be busy."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < seconds


def error_of(program, *arguments, kind=tilewire.RunError, **settings):
    with promptly(), pytest.raises(kind) as raised:
        program(*arguments, **settings)
    assert type(raised.value) is kind
    [found] = raised.value.diagnostics
    return found


@pl.jit.incore
def step(bad: pl.Scalar[pl.INDEX], peer: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]],
         s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(s)
    me = pld.rank(ctx)
    n = pld.nranks(ctx)
    if me == bad:
        pld.system.notify(s, peer, [1, 0], 1)  # names a peer
    pld.system.notify(s, (me + 1) % n, [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)
    pl.write(y, [0, 0], pl.cast(me, pl.INT32))


@pl.jit.host
def ring(bad: pl.Scalar[pl.INDEX], peer: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        step(bad, peer, y[r], s, device=r)


@pytest.mark.parametrize("bad", [0, 2, 3])
def test_one_rank_fails_and_the_others_wait_for_it(place, bad):
    y = np.zeros((4, 1, 8), np.int32)
    for settings in place.settings():
        found = error_of(ring, bad, 4, y, ranks=4, **settings)
        assert (found.code, found.message) == ("TW2110", "invalid rank: rank 4 does not exist: there are 4"), settings
        assert found.line == line_of("names a peer")
        assert [note.text for note in found.notes] == [f"rank {bad}, in `step`"]


def test_calls_after_a_fault_are_as_before(place):
    for settings in place.settings():
        y = np.zeros((4, 1, 8), np.int32)
        for _ in range(3):
            error_of(ring, 1, -1, y, ranks=4, **settings)
            ring(1, 0, y, ranks=4, **settings)
            assert (y[:, 0, 0] == np.arange(4)).all(), settings


@pl.jit.incore
def all_fail(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    pld.system.notify(s, pld.rank(pld.get_comm_ctx(s)) + 10, [0, 0], 1)  # every rank fails


@pl.jit.host
def failing():
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        all_fail(s, device=r)


def test_of_several_faults_one_is_raised(place):
    for settings in place.settings():
        found = error_of(failing, ranks=4, **settings)
        assert found.line == line_of("every rank fails")
        assert (found.message, found.notes[0].text) in [
            (f"invalid rank: rank {rank + 10} does not exist: there are 4", f"rank {rank}, in `all_fail`") for rank in range(4)]


@pl.jit.incore
def row_of(row: pl.Scalar[pl.INDEX], x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
           s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    if me == 1:
        y = pl.store(pl.load(x, [row, 0], [1, 8]), [0, 0], y)  # reads a row
    pld.system.notify(s, 0, [0, 0], 1)
    if me == 0:
        pld.system.wait(s, [0, 0], pld.nranks(pld.get_comm_ctx(s)))


@pl.jit.host
def rows(row: pl.Scalar[pl.INDEX], x: pl.Tensor[[4, 8], pl.FP32], y: pl.InOut[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        row_of(row, x, y[r], s, device=r)


@pytest.mark.needs("three ranks")
def test_out_of_bounds(place):
    x, y = np.ones((4, 8), np.float32), np.zeros((3, 1, 8), np.float32)
    for settings in place.settings():
        rows(3, x, y, ranks=3, **settings)
        assert (y[1] == 1).all()
        found = error_of(rows, 4, x, y, ranks=3, **settings)
        assert (found.code, found.message) == (
            "TW2102", "out of bounds: element 4 is outside dimension 0, which has extent 4"), settings
        assert found.line == line_of("reads a row")
        assert [note.text for note in found.notes] == ["rank 1, in `row_of`"]


@pl.jit.incore
def waits(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    if me != 2:
        pld.system.notify(s, me, [0, 0], 2)
        pld.system.wait(s, [me, 0], 3)  # waits in vain


@pl.jit.incore
def never_runs(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    pld.system.notify(s, 100, [0, 0], 1)


@pl.jit
def chip(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    waits(s)
    if pld.rank(pld.get_comm_ctx(s)) != 2:
        never_runs(s)


@pl.jit.host
def stuck():
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        chip(s, device=r)


def test_a_deadlock_lists_the_waits(place):
    for settings in place.settings():
        found = error_of(stuck, ranks=4, kind=tilewire.DeadlockError, **settings)
        assert (found.code, found.message) == (
            "TW2121", "deadlock: 3 tasks are blocked and nothing can wake them"), settings
        assert [(note.text, note.line) for note in found.notes] == [
            (f"rank {rank}, in `waits`: waits for `s[{rank}, 0]` on rank {rank} >= 3, which is {2 if rank == 0 else 0}",
             line_of("waits in vain")) for rank in (0, 1, 3)], settings
        assert found.line == line_of("waits in vain")


@pl.jit.incore
def take(w: pl.InOut[pld.DistributedTensor[[1], pl.INT32]]):
    pl.write(w, [0], 1)


@pl.jit.host
def sized(n: pl.Scalar[pl.INT64]):
    buf = pld.alloc_window_buffer(64 // (pld.world_size() - 1) + 4 * n)  # allocates
    w = pld.window(buf, [1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        take(w, device=r)


@pytest.mark.parametrize(("ranks", "n", "code", "message"), [
    (2, -16, "TW2412", "window buffer `buf` would have 0 bytes: its size is `64 // (world_size() - 1) + 4 * n`"),
    (3, -9, "TW2412", "window buffer `buf` would have -4 bytes: its size is `64 // (world_size() - 1) + 4 * n`"),
    (1, 1, "TW2414", "the size of window buffer `buf`, `64 // (world_size() - 1) + 4 * n`, cannot be computed: "
     "it divides by zero"),
    (2, 1 << 62, "TW2414", "the size of window buffer `buf`, `64 // (world_size() - 1) + 4 * n`, cannot be computed: "
     "a value in it leaves 64 bits"),
    (2, 1 << 60, "TW2415",
     "the window buffers of a rank, up to `buf`, would have more than 70368744177664 bytes"),
])
def test_window_sizes_that_are_wrong(place, ranks, n, code, message):
    for settings in place.settings():
        sized(4, ranks=2, **settings)
        found = error_of(sized, n, ranks=ranks, **settings)
        assert (found.code, found.message, found.line) == (code, message, line_of("allocates")), settings


@pl.jit.incore
def fail_late(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], n: pl.Scalar[pl.INDEX]):
    me = pld.rank(pld.get_comm_ctx(s))
    if me == 0:
        for i in pl.range(n):
            pld.system.notify(s, 0, [1, 0], 1)
        pld.system.notify(s, 7, [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)


@pl.jit.host
def failing_late(n: pl.Scalar[pl.INDEX]):
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        fail_late(s, n, device=r)


def test_a_rank_that_computes_is_no_deadlock(place):
    for settings in place.settings():
        found = error_of(failing_late, 20_000, ranks=4, **settings)
        assert found.message == "invalid rank: rank 7 does not exist: there are 4", settings


@pl.jit.incore
def compute(y: pl.InOut[pl.Tensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
            n: pl.Scalar[pl.INDEX]):
    if pld.rank(pld.get_comm_ctx(s)) == 0:
        for i in pl.range(n):
            y = pl.store(pl.load(y) + 1.0, [0, 0], y)
        for p in pl.range(pld.nranks(pld.get_comm_ctx(s))):
            pld.system.notify(s, p, [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)


@pl.jit.host
def computing(y: pl.InOut[pl.Tensor[[NR, 1, 8], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        compute(y[r], s, n, device=r)


@pytest.fixture
def interruptible():
    """Whoever started the tests may have switched Ctrl-C off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.needs("three ranks")
def test_ctrl_c_stops_ranks_that_compute_and_ranks_that_wait(place, interruptible):
    y = np.zeros((3, 1, 8), np.float32)
    for settings in place.settings(schedules=1):
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with promptly(), pytest.raises(KeyboardInterrupt):
            computing(y, 10**12, ranks=3, **settings)
        timer.join()
        y[...] = 0
        computing(y, 2, ranks=3, **settings)
        assert (y[0] == 2).all() and (y[1:] == 0).all(), settings


@pl.jit.incore
def checked(case: pl.Scalar[pl.INDEX], n: pl.Scalar[pl.INT32], w: pl.InOut[pld.DistributedTensor[[NR, 16], pl.FP32]],
            s: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]],
            other: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(s)
    pair = pld.subgroup(ctx, 2)
    if case == 0:
        three = pld.subgroup(ctx, n + 1)  # a sub-group of three
        pld.system.notify_all(s, group=three)
    if case == 1:
        eight = pld.mesh_axis(ctx, [n, pld.nranks(ctx)], 0)  # a mesh of eight
        pld.system.notify_all(s, group=eight)
    if case == 2:
        pld.system.notify(s, 0, [pld.member_rank(pair, n), 0], 1)  # the rank of a member
    if case == 3:
        pld.system.fetch_add(s, n, [0, 0], 1, group=pair)  # an update
    if case == 4:
        pld.system.notify_all(other, group=pair)  # a notify in another group
    if case == 5:
        pld.tensor.barrier(other, group=pair)  # a barrier in another group
    if case == 6:
        pld.tensor.reduce_scatter(w[0:3], s)  # three rows for four ranks


@pl.jit.incore
def rest(other: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]]):
    pld.system.notify(other, 0, [0, 0], 1)


@pl.jit.host
def checks(case: pl.Scalar[pl.INDEX], n: pl.Scalar[pl.INT32]):
    w = pld.alloc_window([pld.world_size(), 16], dtype=pl.FP32)
    s = pld.alloc_signal(8)
    other = pld.alloc_signal(8)
    for r in pl.range(4):
        checked(case, n, w, s, other, device=r)
    for r in pl.range(4, pld.world_size()):
        rest(other, device=r)


@pytest.mark.parametrize("case, op, line, message", [
    (0, "pld.subgroup", "a sub-group of three", "invalid sub-group: sub-groups of 3 ranks with stride 1 do not divide a group of 4"),
    (1, "pld.mesh_axis", "a mesh of eight", "invalid mesh: a mesh of 8 ranks does not fit a group of 4"),
    (2, "pld.member_rank", "the rank of a member", "invalid rank: rank 2 does not exist in a sub-group of 2"),
    (3, "pld.system.fetch_add", "an update", "invalid rank: rank 2 does not exist in a sub-group of 2"),
    (4, "pld.system.notify_all", "a notify in another group", "the sub-group is not part of the window's group"),
    (5, "pld.tensor.barrier", "a barrier in another group", "the sub-group is not part of the window's group"),
    (6, "pld.tensor.reduce_scatter", "three rows for four ranks",
     "shape mismatch: `pld.tensor.reduce_scatter` needs equal extents in dimension 0, got 3 and 0")])
def test_what_is_checked_for_an_op_names_that_op(place, case, op, line, message):
    for settings in place.settings():
        found = error_of(checks, case, 2, ranks=6, **settings)
        assert (found.label, found.line, found.message) == (op, line_of(line), message), settings
