"""Traces show what no worker waits for: conditions of `defer_wait`, with arrows to and from them."""

import json

import numpy as np
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def use(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit.incore
def tell(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], cell: pl.Scalar[pl.INDEX]):
    ctx = pld.get_comm_ctx(s)
    pld.system.notify(s, (pld.rank(ctx) + 1) % pld.nranks(ctx), [cell, 0], 1)


@pl.jit
def chip(
    x: pl.Tensor[[1, 8], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="arrived") as arrived:
        pld.system.defer_wait(s, [0, 0], 1)
        pld.system.defer_wait(s, [1, 0], 1)
    use(x, y, deps=[arrived])
    tell(s, 0)
    tell(s, 1)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], s, device=r)


def tracks(events):
    return {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}


def arrows(events):
    """(rank, track) of both ends, by the name of the arrow."""
    names = tracks(events)
    ends = {}
    for e in events:
        if e["ph"] in "sf":
            ends.setdefault((e["name"], e["id"]), {})[e["ph"]] = e["pid"], names[e["pid"], e["tid"]], e["ts"]
    assert all(set(end) == {"s", "f"} and end["s"][2] <= end["f"][2] for end in ends.values())
    return [(name, end["s"][:2], end["f"][:2]) for (name, _), end in ends.items()]


def test_defer_wait_has_slices_and_arrows(tmp_path):
    x = np.arange(16, dtype=np.float32).reshape(2, 1, 8)
    for threads in (1, 2):
        y = main(x, ranks=2, trace=tmp_path / "t.json", threads=threads)
        assert np.array_equal(x, y)
        events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
        slices = [e for e in events if e["name"] == "defer_wait" and e["ph"] == "X"]
        assert sorted((e["pid"], e["args"]["cell"]) for e in slices) == [
            (rank, f"`s[{cell}, 0]` on rank {rank}") for rank in (0, 1) for cell in (0, 1)
        ]
        assert all(e["args"]["condition"] == ">= 1" and "test_traces.py:" in e["args"]["source"] for e in slices)
        names = tracks(events)
        on = {names[e["pid"], e["tid"]] for e in slices}
        assert on == {"defer_wait", "defer_wait 2"}  # both conditions of a rank at once
        found = arrows(events)
        # A notify of the neighbour ends each of them, and the last one lets the task start.
        signals = [(start[0], end) for name, start, end in found if name == "signal"]
        assert sorted(signals) == sorted((1 - rank, (rank, track)) for rank in (0, 1) for track in on)
        starts = [(start[0], end[0]) for name, start, end in found if name == "defer_wait"]
        assert starts and set(starts) <= {(0, 0), (1, 1)}  # none where all came before the task was submitted
        assert all(start[1] in on and end[1].startswith("worker") for name, start, end in found if name == "defer_wait")
