"""Sessions keep what windows hold from call to call; other calls find zeros."""

import numpy as np
import pytest
import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def count(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    t = pl.load(w) + 1
    w = pl.store(t, [0, 0], w)
    y = pl.store(t, [0, 0], y)


@pl.jit.host
def counts(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]], width: pl.Scalar[pl.INT64]):
    w = pld.alloc_window([1, 8], dtype=pl.INT32)
    for r in pl.range(NR):
        count(w, y[r], device=r)
    wide = pld.alloc_window_buffer(width)
    v = pld.window(wide, [1, 8], dtype=pl.INT32)
    for r in pl.range(NR):
        count(v, y[r], device=r)


def test_windows_are_zero_at_every_call(place):
    y = np.zeros((4, 1, 8), np.int32)
    for settings in place.settings():
        for _ in range(2):
            counts(y, 32, ranks=4, **settings)
            assert (y == 1).all(), settings


@pytest.mark.needs("sessions")
def test_sessions_keep_windows(place):
    exe = counts.compile(ranks=4, target=place.target)
    y = np.zeros((4, 1, 8), np.int32)
    with exe.open() as session:
        for call in range(1, 4):
            session(y, 32)
            assert (y == call).all()
        session.reset()
        session(y, 32)
        assert (y == 1).all()
        for call in (lambda: session(y, 64), lambda: session(y[:2], 32, ranks=2)):
            with pytest.raises(tilewire.RunError) as raised:
                call()
            [found] = raised.value.diagnostics
            assert (found.code, found.message, *found.helps) == (
                "TW2232", "this call of `counts` needs other window buffers than the session has",
                "open another session for arguments of other sizes, or other ranks")
    with pytest.raises(tilewire.RunError, match="the session is closed"):
        session(y, 32)
    exe(y, 32)
    assert (y == 1).all()


# Call n of a session: rank r has been told n times by its left neighbour, and tells whom it has seen.
@pl.jit.incore
def tell_next(n: pl.Scalar[pl.INT32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]],
              s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    ctx = pld.get_comm_ctx(s)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    # Its neighbour has read what it was told in the call before.
    pld.system.wait(s, [1, 0], n - 1)
    pld.tile.remote_store(pl.full([1, 8], dtype=pl.INT32, value=me * 100 + n), w, (me + 1) % ranks, [0, 0])
    pld.system.notify(s, (me + 1) % ranks, [0, 0], 1)
    pld.system.wait(s, [0, 0], n)
    y = pl.store(pl.load(w), [0, 0], y)
    pld.system.notify(s, (me + ranks - 1) % ranks, [1, 0], 1)


@pl.jit.host
def telling(n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    w = pld.alloc_window([1, 8], dtype=pl.INT32)
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        tell_next(n, w, s, y[r], device=r)


@pytest.mark.needs("sessions")
def test_signals_count_on_from_call_to_call(place):
    for settings in place.settings():
        with telling.compile(ranks=4, target=settings.pop("target")).open() as session:
            for n in range(1, 6):
                y = np.zeros((4, 1, 8), np.int32)
                session(n, y, **settings)
                assert (y[:, 0, 0] == np.roll(np.arange(4), 1) * 100 + n).all(), settings
