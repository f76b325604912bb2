"""Several calls over windows that keep their content, as sessions make them."""

import numpy as np
import pytest

import tilewire as tw
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def shift_once(
    x: pl.Tensor[[1, 8], pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
):
    ctx = pld.get_comm_ctx(w)
    right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    pld.tile.remote_store(pl.load(x), w, right, [0, 0])
    pld.system.notify(s, right, [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def once(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        shift_once(x[r], w, s, y[r], device=r)


@pl.jit.incore
def shift_again(
    x: pl.Tensor[[1, 8], pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
):
    ctx = pld.get_comm_ctx(w)
    me = pld.rank(ctx)
    right = (me + 1) % pld.nranks(ctx)
    pld.tile.remote_store(pl.load(x), w, right, [0, 0])
    pld.system.notify(s, right, [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)
    pld.system.notify(s, me, [0, 0], -1)
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def again(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        shift_again(x[r], w, s, y[r], device=r)


# The second collective of a call starts from what the first one left, and so does the next call.
@pl.jit.incore
def reduce_twice(
    x: pl.Tensor[[1, 8], pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
):
    w = pl.store(pl.load(x), [0, 0], w)
    w = pld.tensor.allreduce(w, s)
    w = pld.tensor.allreduce(w, s)
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def collectives(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        reduce_twice(x[r], w, s, y[r], device=r)


def test_one_call_says_nothing_of_the_next():
    assert once.check(ranks=[2, 3]).ok
    reports = once.check(ranks=[2, 3], calls=2)
    assert reports.verdict == "refuted" and [report.calls for report in reports] == [2, 2]
    for report in reports:
        assert report.text().splitlines()[0] == (
            f"{report.ranks} ranks: refuted (the first schedule tried shows it) for 2 calls from zeroed windows")
        race = report.findings[0]
        assert race.kind == "race" and [place.call for place in race.places] == [2, 2]
        assert "call 2 reads them" in race.label and "call 2 writes them" in race.notes[0].text
        assert [step.who.rpartition(", ")[2] for step in race.story][0::7] == ["call 1", "call 2"]
        assert any("the cause may be this stale wait" in note.text for note in race.notes)


@pytest.mark.parametrize("general", [False, True])
def test_programs_that_can_be_called_again(general):
    for calls in (1, 2, 3):
        reports = again.check(ranks=2, calls=calls, general=general)
        assert reports.ok, reports
        assert reports[0].assumed == f"{calls} call{'s' * (calls > 1)} from zeroed windows"
    assert collectives.check(ranks=[2, 3], calls=3).ok


def test_a_proof_of_two_calls_holds_in_a_session():
    with again.compile(ranks=4).open(ranks=4) as session:
        for i in range(50):
            x = np.random.default_rng(i).standard_normal((4, 1, 8)).astype(np.float32)
            y = np.zeros_like(x)
            session(x, y)
            assert np.array_equal(y, np.roll(x, 1, 0))


@pytest.mark.parametrize("target", ["cpu", "interp"])
def test_a_schedule_of_two_calls_is_followed(tmp_path, target):
    once.check(ranks=2, calls=2).schedule(tmp_path / "s.json")
    x = np.arange(16, dtype=np.float32).reshape(2, 1, 8)
    y = np.full_like(x, -1)
    with pytest.warns(tw.ReplayWarning, match=r"call 2, line \d+, reads .*; then .*call 2, line \d+, writes"):
        once(x, y, target=target, replay=tmp_path / "s.json")
    with pytest.raises(tw.RunError, match="a session keeps the content of its windows"):
        with once.compile(ranks=2).open(ranks=2) as session:
            session(x, y, replay=tmp_path / "s.json")


@pl.jit.incore
def beyond(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(s)
    for r in pl.range(2, pld.nranks(ctx)):
        pld.system.notify(s, r, [0, 0], 1)


@pl.jit.host
def of_more_ranks(n: pl.Tensor[[1], pl.INT32]):
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        beyond(s, device=r)


def test_unreached_at_one_rank_count_only():
    """Also where each number of ranks has arguments of its own."""
    def make(ranks):
        return np.zeros(1, np.int32)

    def kinds(reports):
        return [[finding.kind for finding in report.findings if finding.kind == "unreached"] for report in reports]

    assert kinds(of_more_ranks.check(make=make, ranks=[2, 3])) == [[], []]
    assert kinds(of_more_ranks.check(make=make, ranks=[1, 2])) == [["unreached"], ["unreached"]]
    assert kinds(of_more_ranks.check(ranks=[2, 3])) == [[], []]


def test_calls_must_be_positive():
    with pytest.raises(ValueError, match="^calls must be 1 or more$"):
        again.check(ranks=2, calls=0)


@pl.jit.incore
def scaled(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.load(x) * 2.0, [0, 0], y)


def test_without_windows_calls_have_nothing_in_common():
    (report,) = scaled.check(calls=5)
    assert report.ok and report.assumed == "" and report.events == scaled.check()[0].events
