"""Results that depend on the schedule: the warning `schedule`, and native runs that show it."""

import numpy as np
import pytest

import tilewire as tw
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
ADD = pld.AtomicType.Add


def warned(report):
    """The statements that are warned of, and what they depend on."""
    assert report.ok, str(report)
    lines = open(__file__, encoding="utf-8").read().splitlines()
    return [(lines[f.line - 1].strip(), f.message) for f in report.findings if f.kind == "schedule"]


def results(host, ranks, *arrays, seeds=60):
    seen = set()
    for seed in range(seeds):
        copies = [np.copy(a) if isinstance(a, np.ndarray) else a for a in arrays]
        host(*copies, ranks=ranks, schedule=f"random:{seed}")
        seen.add(copies[-1].tobytes())
    return len(seen)


@pl.jit.incore
def stores_what_was_seen(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    if pld.rank(pld.get_comm_ctx(s)) == 0:
        pl.write(y, [0, 0], pld.system.wait(s, [0, 0], 1))
    else:
        pld.system.notify(s, 0, [0, 0], 1)
        pld.system.notify(s, 0, [0, 0], 1)


@pl.jit.host
def seen(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        stores_what_was_seen(y[r], s, device=r)


def test_a_value_that_a_wait_saw():
    report = seen.check(ranks=[2])
    assert report[0].method.startswith("exact")
    ((line, message),) = warned(report)
    assert line == "pl.write(y, [0, 0], pld.system.wait(s, [0, 0], 1))"
    number = next(f.line for f in report.findings if f.kind == "schedule")
    assert message == f"schedule-dependent result: `y` depends on what the wait on line {number} sees"
    finding = report.findings[0]
    assert not finding.error and "wait for the last value that the cell takes" in str(report)
    assert results(seen, 2, np.zeros((2, 1, 8), np.int32)) == 2


@pl.jit.incore
def stores_under_a_test(
    y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], other: pl.Scalar[pl.INT32]
):
    if pld.rank(pld.get_comm_ctx(s)) == 0:
        if pld.system.test(s, [0, 0], 1):
            pl.write(y, [0, 0], pl.const(1, pl.INT32))
        else:
            pl.write(y, [0, 0], other)
    else:
        pld.system.notify(s, 0, [0, 0], 1)


@pl.jit.host
def under_a_test(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]], other: pl.Scalar[pl.INT32]):
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        stores_under_a_test(y[r], s, other, device=r)


def test_a_branch_that_a_test_decides():
    y = np.zeros((2, 1, 8), np.int32)
    found = warned(under_a_test.check(y, 2, ranks=[2]))
    assert [line for line, _ in found] == [
        "pl.write(y, [0, 0], pl.const(1, pl.INT32))",
        "pl.write(y, [0, 0], other)",
    ]
    assert all("what the test on line" in message for _, message in found)
    # Both arms store the same: all schedules were seen, and none has another result.
    assert warned(under_a_test.check(y, 1, ranks=[2])) == []


@pl.jit.incore
def polls(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    if pld.rank(pld.get_comm_ctx(s)) == 0:
        while not pld.system.test(s, [0, 0], 1):
            pass
        pl.write(y, [0, 0], pl.const(7, pl.INT32))
    else:
        pld.system.notify(s, 0, [0, 0], 1)


@pl.jit.host
def polled(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        polls(y[r], s, device=r)


def test_a_poll_decides_no_result():
    assert warned(polled.check(ranks=[2])) == []


def sums(dtype):
    @pl.jit.incore
    def add(x: pl.Tensor[[1, 8], dtype], w: pl.InOut[pld.DistributedTensor[[1, 8], dtype]], senders: pl.Scalar[pl.INT32]):
        if pld.rank(pld.get_comm_ctx(w)) < senders:
            pld.tensor.put(w, 0, x, atomic=ADD)

    @pl.jit.host
    def main(x: pl.Tensor[[NR, 1, 8], dtype], senders: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[NR, 1, 8], dtype]]):
        buf = pld.alloc_window_buffer([1, 8], dtype=dtype, store_to_host=y)
        w = pld.window(buf, [1, 8], dtype=dtype)
        for r in pl.range(pld.world_size()):
            add(x[r], w, senders, device=r)

    return main


def test_sums_of_floats():
    x = np.zeros((3, 1, 8), np.float32)
    x[0], x[1], x[2] = 1e8, -1e8, 1
    main = sums(pl.FP32)
    ((line, message),) = warned(main.check(x, 3, np.zeros_like(x), ranks=[3]))
    assert line == "pld.tensor.put(w, 0, x, atomic=ADD)"
    assert "`y` depends on the order of the atomic additions" in message
    assert results(main, 3, x, 3, np.zeros_like(x)) > 1
    # One addition has no other to be ordered with.
    assert warned(main.check(x, 1, np.zeros_like(x), ranks=[3])) == []


def test_sums_of_integers_are_exact():
    x = np.ones((3, 1, 8), np.int32)
    assert warned(sums(pl.INT32).check(x, 3, np.zeros_like(x), ranks=[3])) == []


@pl.jit.incore
def branch_on_a_sum(x: pl.Tensor[[1, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(w))
    pld.tensor.put(w, 0, x, atomic=ADD, signal=s, at=[0, 0])
    if me == 0:
        pld.system.wait(s, [0, 0], 3)
        if pl.read(w, [0, 0]) > 0.5:
            pld.system.notify(s, 1, [1, 0], 1)
    if me == 1:
        pld.system.wait(s, [1, 0], 1)


@pl.jit.host
def decided_by_a_sum(x: pl.Tensor[[NR, 1, 8], pl.FP32]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        branch_on_a_sum(x[r], w, s, device=r)


def test_a_sum_that_decides_a_branch(tmp_path):
    x = np.zeros((3, 1, 8), np.float32)
    x[0], x[1], x[2] = 1e8, -1e8, 1
    report = decided_by_a_sum.check(x, ranks=[3])
    assert report.verdict == "refuted"
    assert [f.kind for f in report.findings if f.error] == ["deadlock"]
    schedule = tmp_path / "schedule.json"
    report.schedule(schedule)
    with pytest.raises(tw.DeadlockError):
        decided_by_a_sum(x, ranks=3, replay=str(schedule))
    # Whatever the order of three ones: the sum is 3.
    assert decided_by_a_sum.check(np.ones_like(x), ranks=[3]).ok


@pytest.mark.parametrize("ranks", [3, 4, 8])
def test_counts_in_cells_are_decided_exactly(ranks):
    report = counted.check(ranks=[ranks])
    assert warned(report) == []
    assert report[0].method.startswith("exact"), report[0].method


@pl.jit.incore
def exchange_counts(y: pl.Out[pl.Tensor[[NR], pl.INT32]], c: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(c)
    me = pld.rank(ctx)
    for to in pl.range(pld.nranks(ctx)):
        pld.system.notify(c, to, [me, 0], 10 * me + to + 1, op="set")
    for source in pl.range(pld.nranks(ctx)):
        pld.system.wait(c, [source, 0], 1)
        count = pl.read(c, [source, 0]) - 1
        for i in pl.range(count):
            pl.write(y, [source], count)


@pl.jit.host
def counted(y: pl.Out[pl.Tensor[[NR, NR], pl.INT32]]):
    c = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        exchange_counts(y[r], c, device=r)
