"""Random schedules and traces: what they show of a run, and that they change nothing else."""

import json

import numpy as np
import pytest
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def nothing(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.load(x)


def test_random_schedules_poison_what_is_not_written(place):
    for seed in range(3):
        assert np.isnan(nothing(np.ones((1, 8), np.float32), target=place.target, schedule=f"random:{seed}")).all()


# Nothing orders the adds of the ranks, but every one of them happens once.
@pl.jit.incore
def add_all(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    ctx = pld.get_comm_ctx(s)
    ranks = pld.nranks(ctx)
    for p in pl.range(ranks):
        pld.system.notify(s, p, [0, 0], pld.rank(ctx) + 1)
    seen = pld.system.wait(s, [0, 0], ranks * (ranks + 1) // 2)
    pl.write(y, [0, 0], seen)


@pl.jit.host
def adding(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        add_all(s, y[r], device=r)


@pytest.mark.parametrize("ranks", [1, 4, 8])
def test_schedules_lose_nothing(place, ranks):
    for settings in place.settings(schedules=10):
        y = np.zeros((ranks, 1, 8), np.int32)
        adding(y, ranks=ranks, **settings)
        assert (y[:, 0, 0] == ranks * (ranks + 1) // 2).all(), settings


@pytest.mark.needs("traces")
def test_traces_have_a_track_for_every_rank(place, tmp_path):
    for number, settings in enumerate(place.settings()):
        path = tmp_path / f"{number}.json"
        y = np.zeros((4, 1, 8), np.int32)
        adding(y, ranks=4, trace=path, **settings)
        assert (y[:, 0, 0] == 10).all()
        assert path.exists() == place.writes_trace()
        if not path.exists():
            continue
        events = json.loads(path.read_text())["traceEvents"]
        names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
        assert names == {rank: f"rank {rank}" for rank in range(4)}, settings
        for rank in range(4):
            mine = [event for event in events if event["pid"] == rank]
            assert any(event["name"] == "add_all" and event["cat"] == "blocks" for event in mine if "cat" in event)
            cells = {event["args"]["cell"] for event in mine if event["name"] == "notify"}
            assert cells == {f"`s[0, 0]` on rank {peer}" for peer in range(4)}, settings
